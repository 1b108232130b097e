import type { Knex } from "knex";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import { inTransaction } from "../platform/database/connection.js";
import { inSteps } from "../platform/steps.js";
import { deleteExpiredKeys, findExpired } from "./queue-store.js";
import { removeFromQueues } from "./removal.js";
import { retrying } from "./retrying.js";

export type ExpiryLimits = Pick<Config, "expiryStepRows">;

export interface Expiry {
  /** Removes messages whose retention is over; returns how many. */
  expireMessages(): Promise<number>;
  /** Removes hashes that were kept for the retention period; returns how many. */
  expireKeys(): Promise<number>;
}

const secondsPerDay = 86_400;

/** Works through an index in steps of their own transaction, so that no step holds locks for long. */
export function createExpiry(needs: {
  db: Knex;
  clock: Clock;
  metrics: Pick<MetricsService, "count">;
  limits: ExpiryLimits;
}): Expiry {
  const { db, clock, metrics, limits } = needs;
  const limit = limits.expiryStepRows;

  const expireSome = async (): Promise<number> => {
    const places = await findExpired(db, { now: clock.nowSeconds(), limit });
    if (places.length === 0) return 0;
    const removed = await retrying(() => inTransaction(db, (trx) => removeFromQueues(trx, places)));
    metrics.count("messages_expired", removed.length);
    return places.length;
  };

  return {
    expireMessages: () => inSteps(limit, expireSome),
    expireKeys() {
      const today = Math.floor(clock.nowSeconds() / secondsPerDay);
      return inSteps(limit, () => deleteExpiredKeys(db, { today, limit }));
    },
  };
}
