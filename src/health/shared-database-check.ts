import { performance } from "node:perf_hooks";
import type { Database } from "../database/db.js";
import { isMigrated } from "../database/migrations/migrate.js";
import type { HealthSettings } from "./config.js";
import { inTime } from "./database-watch.js";

/**
 * Whether the database answers and has the schema of this version. Anyone may ask at any rate, even while the database
 * is frozen, so at most one query runs, and all callers share its answer. Once it has timed out, callers learn at once
 * that the database does not answer, until it does.
 */
export function createSharedDatabaseCheck(deps: { db: Database; config: Pick<HealthSettings, "healthTimeoutMillis"> }) {
  const { db, config } = deps;
  let asked: { at: number; answer: Promise<boolean> } | undefined;

  const ask = () => {
    const answer = isMigrated(db).finally(() => {
      asked = undefined;
    });
    return { at: performance.now(), answer };
  };

  return {
    /** False if no answer comes in time; never throws. */
    async check(): Promise<boolean> {
      asked ??= ask();
      const left = asked.at + config.healthTimeoutMillis - performance.now();
      try {
        // A late answer is also handled here, so that its failure is not unhandled.
        return await inTime(asked.answer, Math.max(0, left));
      } catch {
        return false;
      }
    },
  };
}
