import type { IncomingMessage, ServerResponse } from "node:http";
import type { Response } from "express";
import { RelayError } from "../protocol/errors.js";
import { exchangeOf } from "./request-context.js";

// A body is in memory from its arrival to the end of its answer. One budget for all of them would let those who send
// bodies and never finish them refuse everybody else's, so there are two, and nobody may use up a whole one: requests
// without a token count by network address, all others by whose token it is.

export interface BodyBudgetSettings {
  /** Bytes of bodies of callers with a token, at once. */
  bodiesInFlightBytes: number;
  bodyBytesPerCaller: number;
  /** The same of requests that need no token. */
  unauthenticatedBodiesBytes: number;
  unauthenticatedBodyBytesPerIp: number;
}

/** What one request takes of a budget. */
export interface BodyShare {
  /** Counts bytes that arrived; says why they are too many, or null. */
  take(bytes: number): RelayError | null;
  /** Gives back all that was counted. */
  release(): void;
}

export interface BodyBudgets {
  /** To be asked once the caller is known. */
  shareFor(req: IncomingMessage, res: ServerResponse): BodyShare;
}

export function createBodyBudgets(
  settings: BodyBudgetSettings,
  networkOf: (req: IncomingMessage) => string,
): BodyBudgets {
  const callers = new Budget(settings.bodiesInFlightBytes, settings.bodyBytesPerCaller, "caller");
  const strangers = new Budget(
    settings.unauthenticatedBodiesBytes,
    settings.unauthenticatedBodyBytesPerIp,
    "network address",
  );
  return {
    shareFor(req, res) {
      const { principal } = exchangeOf(res as Response);
      return principal === null ? strangers.share(networkOf(req)) : callers.share(nameOf(principal));
    },
  };
}

class Budget {
  private used = 0;
  private readonly limit: number;
  private readonly limitOfOne: number;
  private readonly unit: string;
  private readonly byHolder = new Map<string, number>();

  constructor(limit: number, limitOfOne: number, unit: string) {
    this.limit = limit;
    this.limitOfOne = limitOfOne;
    this.unit = unit;
  }

  share(holder: string): BodyShare {
    let taken = 0;
    return {
      take: (bytes) => {
        taken += bytes;
        return this.count(holder, bytes);
      },
      release: () => {
        this.count(holder, -taken);
        taken = 0;
      },
    };
  }

  private count(holder: string, bytes: number): RelayError | null {
    this.used += bytes;
    const held = (this.byHolder.get(holder) ?? 0) + bytes;
    if (held > 0) this.byHolder.set(holder, held);
    else this.byHolder.delete(holder);
    if (held > this.limitOfOne) return overloaded(`Too many bodies of this ${this.unit}`);
    return this.used > this.limit ? overloaded("Too many bodies") : null;
  }
}

/** Devices and administrators have an id, other servers their name. */
function nameOf(principal: object): string {
  const { deviceId, domain } = principal as { deviceId?: string; domain?: string };
  return deviceId ?? domain ?? "";
}

function overloaded(what: string): RelayError {
  return new RelayError("OVERLOADED", `${what} are being read at the moment.`);
}
