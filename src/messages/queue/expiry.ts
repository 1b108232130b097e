import type { Knex } from "knex";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import { inBoundedSteps } from "../../platform/database/bounded-steps.js";
import { inTransaction } from "../../platform/database/connection.js";
import { retrying } from "../retry.js";
import { removeFromQueues } from "./remove.js";
import { findExpired } from "./store.js";

/**
 * Removes messages whose retention period has ended; returns how many rows it went through. Each step has its own
 * transaction, so that no step holds locks for long.
 */
export function expireMessages(deps: {
  db: Knex;
  clock: Clock;
  metrics: Pick<MetricsService, "count">;
  config: Pick<Config, "expiryStepRows">;
}): Promise<number> {
  const { db, clock, metrics, config } = deps;
  const limit = config.expiryStepRows;
  return inBoundedSteps(limit, async () => {
    const expired = await findExpired(db, { now: clock.nowSeconds(), limit });
    if (expired.length === 0) return 0;
    const removed = await retrying(() => inTransaction(db, (trx) => removeFromQueues(trx, expired)));
    metrics.count("messages_expired", removed.length);
    return expired.length;
  });
}
