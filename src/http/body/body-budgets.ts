import type { IncomingMessage } from "node:http";
import { RelayError } from "../../protocol/errors.js";
import type { RequestContext } from "../request/request-context.js";

// A body stays in memory until its answer has ended. With one budget for all bodies, senders who never finish their
// bodies could cause everyone else's to be refused. So there are two budgets, and no caller may use up a whole one:
// requests without a token are counted by network address, all others by the token's holder.

export interface BodyBudgetSettings {
  /** Bytes of bodies, held at the same time, of callers with a token. */
  bodiesInFlightBytes: number;
  bodyBytesPerCaller: number;
  /** The same for requests that need no token. */
  unauthenticatedBodiesBytes: number;
  unauthenticatedBodyBytesPerIp: number;
}

/** The share of a budget that one request uses. */
export interface BodyShare {
  /** Counts bytes that have arrived; returns an error if the share is used up. */
  take(bytes: number): RelayError | null;
  /** Returns all counted bytes to the budget. */
  release(): void;
}

interface BodyBudgets {
  /** The share of a request whose caller is known. */
  shareFor(context: RequestContext): BodyShare;
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
    shareFor({ req, principal }) {
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
    if (held > this.limitOfOne) return overloaded(`too many bodies of this ${this.unit}`);
    return this.used > this.limit ? overloaded("too many bodies") : null;
  }
}

/** Devices and administrators have an id, other servers their name. */
function nameOf(principal: object): string {
  const { deviceId, domain } = principal as { deviceId?: string; domain?: string };
  return deviceId ?? domain ?? "";
}

function overloaded(cause: string): RelayError {
  return new RelayError("OVERLOADED", `${cause} are being read at the moment`);
}
