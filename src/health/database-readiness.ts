import { performance } from "node:perf_hooks";
import type { Database } from "../database/connection.js";
import { isMigrated } from "../database/migrate.js";
import type { HealthSettings } from "./config.js";
import { inTime } from "./in-time.js";

/** Whether the database answers and has the schema of this version. */
interface DatabaseReadiness {
  /** False if no answer comes in time; never throws. */
  check(): Promise<boolean>;
}

/**
 * Anybody may ask, at any rate, also while the database is frozen: so there is one question under way at most, whose answer
 * all who ask share. Once that has timed out, callers learn at once that the database does not answer, until it does.
 */
export function createDatabaseReadiness(deps: {
  db: Database;
  config: Pick<HealthSettings, "healthTimeoutMillis">;
}): DatabaseReadiness {
  const { db, config } = deps;
  let asked: { at: number; answer: Promise<boolean> } | undefined;

  const ask = () => {
    const answer = isMigrated(db).finally(() => {
      asked = undefined;
    });
    return { at: performance.now(), answer };
  };

  return {
    async check() {
      asked ??= ask();
      const left = asked.at + config.healthTimeoutMillis - performance.now();
      try {
        // What comes late is heard here as well, so that nobody misses its failure.
        return await inTime(asked.answer, Math.max(0, left));
      } catch {
        return false;
      }
    },
  };
}
