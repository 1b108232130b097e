import type { IncomingMessage } from "node:http";
import { siteKey } from "../../platform/addresses/network-key.js";
import { RelayError } from "../../protocol/errors.js";
import { callerName, type RequestContext } from "../request/request-context.js";

// A body stays in memory until its answer has ended. With one budget for all bodies, senders who never finish their
// bodies could cause everyone else's to be refused. So there are two budgets, and no caller may use up a whole one:
// requests without a token are counted by network address, all others by the token's holder. When a budget is full, the
// body that has been arriving for longest goes: among strangers any body, among callers with a token only a slow one.

export interface BodyBudgetSettings {
  /** Bytes of bodies, held at the same time, of callers with a token. */
  bodiesInFlightBytes: number;
  bodyBytesPerCaller: number;
  /** The same for requests that need no token. */
  unauthenticatedBodiesBytes: number;
  unauthenticatedBodyBytesPerIp: number;
  /** How many times the limit of an IPv6 /64 applies to its /48. */
  ipv6SiteFactor: number;
  /** A body is slow once it has been arriving for longer than this. */
  bodyStallSeconds: number;
  /** Slow bodies of one budget, and of one caller. */
  slowBodiesPerNode: number;
  slowBodiesPerCaller: number;
}

/** The share of a budget that one request uses. */
export interface BodyShare {
  /** Counts bytes that have arrived; returns an error if the share is used up. */
  take(bytes: number): RelayError | null;
  /** From now on the body is arriving, and may be ended in favour of another one. */
  arrives(end: (error: RelayError) => void): void;
  /** The body has arrived, or is not read any more. */
  arrived(): void;
  /** Returns all counted bytes to the budget. */
  release(): void;
}

export function createBodyBudgets(settings: BodyBudgetSettings, networkOf: (req: IncomingMessage) => string) {
  const callers = new Budget(settings, {
    limit: settings.bodiesInFlightBytes,
    limitOfOne: settings.bodyBytesPerCaller,
    unit: "caller",
    endsOnlySlow: true,
  });
  const strangers = new Budget(settings, {
    limit: settings.unauthenticatedBodiesBytes,
    limitOfOne: settings.unauthenticatedBodyBytesPerIp,
    unit: "network address",
    endsOnlySlow: false,
  });
  return {
    /** The share of a request whose caller is known. */
    shareFor({ req, principal }: RequestContext): BodyShare {
      return principal === null ? strangers.share(networkOf(req)) : callers.share(callerName(principal));
    },
  };
}

/** A body that is arriving. */
interface Arriving {
  readonly since: number;
  readonly holder: string;
  end(error: RelayError): void;
}

interface BudgetRules {
  limit: number;
  limitOfOne: number;
  unit: string;
  /** Whether bodies that are not slow are never ended in favour of others. */
  endsOnlySlow: boolean;
}

class Budget {
  private used = 0;
  private readonly settings: BodyBudgetSettings;
  private readonly rules: BudgetRules;
  /** The bytes of each holder, and of each /48. */
  private readonly bytes = new Map<string, number>();
  /** In the order in which they began. */
  private readonly arriving = new Set<Arriving>();

  constructor(settings: BodyBudgetSettings, rules: BudgetRules) {
    this.settings = settings;
    this.rules = rules;
  }

  share(holder: string): BodyShare {
    const site = siteKey(holder);
    let taken = 0;
    let body: Arriving | undefined;
    const count = (bytes: number): { own: number; ofSite: number } => {
      taken += bytes;
      this.used += bytes;
      return { own: this.add(holder, bytes), ofSite: site === undefined ? 0 : this.add(site, bytes) };
    };
    const arrived = (): void => {
      if (body !== undefined) this.arriving.delete(body);
    };
    const release = (): void => {
      arrived();
      if (taken > 0) count(-taken);
    };
    return {
      take: (bytes) => {
        const { own, ofSite } = count(bytes);
        const { limit, limitOfOne, unit } = this.rules;
        if (own > limitOfOne) return overloaded(`too many bodies of this ${unit}`);
        if (ofSite > limitOfOne * this.settings.ipv6SiteFactor) return overloaded("too many bodies of this IPv6 /48");
        while (this.used > limit) if (!this.makeRoom(body)) return overloaded("too many bodies");
        return null;
      },
      arrives: (end) => {
        this.boundSlow(holder);
        const ended = (error: RelayError): void => {
          release();
          end(error);
        };
        body = { since: performance.now(), holder, end: ended };
        this.arriving.add(body);
      },
      arrived,
      release,
    };
  }

  private add(key: string, bytes: number): number {
    const held = (this.bytes.get(key) ?? 0) + bytes;
    if (held > 0) this.bytes.set(key, held);
    else this.bytes.delete(key);
    return held;
  }

  /** Ends the oldest body that may be ended in favour of this one; false if there is none. */
  private makeRoom(forBody: Arriving | undefined): boolean {
    const [oldest] = this.arriving;
    if (oldest === undefined || oldest === forBody) return false;
    if (this.rules.endsOnlySlow && !this.isSlow(oldest)) return false;
    oldest.end(overloaded("too many bodies"));
    return true;
  }

  /** Ends the oldest slow body if there are too many, of this holder or at all. */
  private boundSlow(holder: string): void {
    const { slowBodiesPerCaller, slowBodiesPerNode } = this.settings;
    const endOldest = (bodies: readonly Arriving[], limit: number): void => {
      const [oldest] = bodies;
      if (bodies.length >= limit && oldest !== undefined && this.isSlow(oldest)) oldest.end(tooMuchSlow());
    };
    if (this.arriving.size < Math.min(slowBodiesPerCaller, slowBodiesPerNode)) return;
    const all = [...this.arriving];
    endOldest(
      all.filter((body) => body.holder === holder),
      slowBodiesPerCaller,
    );
    endOldest(all, slowBodiesPerNode);
  }

  private isSlow({ since }: Arriving): boolean {
    return performance.now() - since > this.settings.bodyStallSeconds * 1000;
  }
}

function overloaded(cause: string): RelayError {
  return new RelayError("OVERLOADED", `${cause} are being read at the moment`);
}

function tooMuchSlow(): RelayError {
  return new RelayError("REQUEST_TIMEOUT", "too many bodies arrive slowly");
}
