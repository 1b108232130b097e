import { performance } from "node:perf_hooks";
import type { Database } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import type { Logger } from "../../platform/logger.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import { addCalls, type CallCount, dayOf } from "./store.js";

/** Counts our calls to peers, from which a peer's uptime and response time are computed. */
export interface CallCounts {
  /** Runs a call and counts it. A call that throws counts as a failure. */
  counted<T>(domain: Domain, call: () => Promise<T>): Promise<T>;
  /** Writes the counts since the last flush. */
  flush(): Promise<void>;
}

const maxHosts = 10_000;

/** Counts in memory, because a write for each call would often cost more than the call. */
export function createCallCounts(deps: { db: Database; clock: Clock; logger: Logger }): CallCounts {
  let counts = new Map<string, CallCount>();

  const count = (domain: Domain, outcome: { failed: boolean; millis: number }): void => {
    const host = hostOf(domain);
    if (counts.size >= maxHosts && !counts.has(host)) return;
    const before = counts.get(host) ?? { host, calls: 0, failed: 0, millis: 0 };
    const failed = before.failed + (outcome.failed ? 1 : 0);
    const millis = before.millis + (outcome.failed ? 0 : outcome.millis);
    counts.set(host, { host, calls: before.calls + 1, failed, millis });
  };

  return {
    async counted(domain, call) {
      const begun = performance.now();
      try {
        const result = await call();
        count(domain, { failed: false, millis: Math.round(performance.now() - begun) });
        return result;
      } catch (error) {
        count(domain, { failed: true, millis: 0 });
        throw error;
      }
    },
    async flush() {
      if (counts.size === 0) return;
      const taken = [...counts.values()].sort((a, b) => (a.host < b.host ? -1 : 1));
      counts = new Map();
      await addCalls(deps.db, taken, dayOf(deps.clock.nowSeconds())).catch((error: unknown) => {
        deps.logger.warn({ err: error }, "the counts of calls to other servers could not be written");
      });
    },
  };
}
