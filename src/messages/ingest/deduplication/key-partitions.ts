import { setTimeout as sleep } from "node:timers/promises";
import { inBoundedSteps } from "../../../database/bounded-steps.js";
import type { Database } from "../../../database/db.js";
import { sqlStateOf } from "../../../database/errors.js";
import type { Logger } from "../../../platform/logger.js";
import {
  createPartition,
  deleteOldKeys,
  dropDay,
  findExpiredDays,
  findMissingPartitions,
  keepDays,
} from "./key-partitions-store.js";

/** Partitions exist for today and this many later days, so the job that creates them may fail for this long. */
const daysAhead = 3;
const attempts = 5;
const betweenAttemptsMillis = 200;

/** A day, in days since 1970, and for how many days a message accepted on it is recognised. */
export interface Retention {
  today: number;
  retentionDays: number;
}

/** The partitions of keys by day. */
interface KeyPartitions {
  /** Records how long today's keys are kept. Asks the database only if this has changed. */
  keep(retention: Retention): Promise<void>;
  /**
   * Creates the partitions of the next days. Never throws: keys of days without a partition are stored anyway, and the
   * next run tries again.
   */
  prepare(retention: Retention): Promise<void>;
  /** Drops the days that are no longer kept; returns their number. Days that another session is reading stay. */
  drop(today: number): Promise<number>;
}

export function createKeyPartitions({
  db,
  logger,
  limit,
}: {
  db: Database;
  logger: Logger;
  limit: number;
}): KeyPartitions {
  let recorded: Retention | undefined;

  const keep = async ({ today, retentionDays }: Retention): Promise<void> => {
    if (recorded?.today === today && recorded.retentionDays >= retentionDays) return;
    await keepDays(db, { first: today, last: today + daysAhead, retentionDays });
    recorded = { today, retentionDays };
  };

  return {
    keep,
    async prepare(retention) {
      const { today } = retention;
      try {
        await keep(retention);
        for (const day of await findMissingPartitions(db, { first: today, last: today + daysAhead })) {
          const created = await withPatience(() => createPartition(db, day));
          if (!created) logger.warn({ day }, "a day's message keys stay outside of a partition: there are too many");
        }
      } catch (error) {
        logger.warn({ err: error }, "partitions for message keys could not be created; it is tried again");
      }
    },
    async drop(today) {
      let dropped = 0;
      try {
        for (const day of await findExpiredDays(db, today)) {
          await withPatience(() => dropDay(db, day));
          dropped += 1;
        }
      } catch (error) {
        if (!isLocked(error)) throw error;
        logger.info("expired message keys are being read by another session; they are dropped later");
      }
      await inBoundedSteps(limit, () => deleteOldKeys(db, { today, limit }));
      return dropped;
    },
  };
}

const lockNotAvailable = "55P03";

function isLocked(error: unknown): boolean {
  return sqlStateOf(error) === lockNotAvailable;
}

/** Retries what waited too long for a lock: a backup or a long report may be reading the table. */
async function withPatience<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isLocked(error)) throw error;
      await sleep(betweenAttemptsMillis);
    }
  }
}
