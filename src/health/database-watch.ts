import { performance } from "node:perf_hooks";
import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import { withinTime } from "../platform/concurrency/within-time.js";
import { RelayError } from "../protocol/errors.js";
import type { HealthSettings } from "./config.js";
import { askDatabase } from "./read-model.js";

/** How the database answers this node. */
export type DatabaseWatch = ReturnType<typeof createDatabaseWatch>;

export function createDatabaseWatch(deps: { db: Database; clock: Clock; config: HealthSettings }) {
  const { db, clock, config } = deps;
  const slow = createDuration();
  let outage: { from: number; until: number | null } | undefined;
  let lastMillis = 0;
  let slowSeconds = 0;

  const note = (millis: number | null): void => {
    const now = clock.nowSeconds();
    slowSeconds = slow.note(millis === null || millis > config.alertDatabaseMillis, now);
    if (millis !== null) lastMillis = millis;
    if (millis === null) outage = { from: outage?.until === null ? outage.from : now, until: null };
    else if (outage !== undefined && outage.until === null) outage = { ...outage, until: now };
    const end = outage?.until ?? null;
    if (end !== null && now - end >= config.alertCalmSeconds) outage = undefined;
  };

  return {
    /** Asks now; the milliseconds it took, or null if no answer came in time. */
    async ask(): Promise<number | null> {
      const millis = await timed(db, config.healthTimeoutMillis);
      note(millis);
      return millis;
    },
    /** The last answer's milliseconds; 0 before the first. */
    millis: (): number => lastMillis,
    /** How long answers have been slower than alerts allow. */
    slowSeconds: (): number => slowSeconds,
    /** When the database was lost, in Unix seconds; 0 unless it is down or has only just come back. */
    goneAt: (): number => outage?.from ?? 0,
    isGone: (): boolean => outage?.until === null,
  };
}

async function timed(db: Database, timeoutMillis: number): Promise<number | null> {
  const startedAt = performance.now();
  try {
    await inTime(askDatabase(db), timeoutMillis);
    return performance.now() - startedAt;
  } catch {
    return null;
  }
}

/** What the database is asked for; throws DATABASE_UNAVAILABLE if it does not come in time. */
export function inTime<T>(promised: Promise<T>, millis: number): Promise<T> {
  return withinTime(promised, millis, () => {
    throw new RelayError("DATABASE_UNAVAILABLE", "the database does not answer in time");
  });
}

/** For how long something has been so, in seconds; 0 while it is not. */
export function createDuration() {
  let since: number | undefined;
  return {
    note(isSo: boolean, now: number): number {
      since = isSo ? (since ?? now) : undefined;
      return since === undefined ? 0 : Math.max(0, now - since);
    },
  };
}
