import { inBoundedSteps } from "../../database/bounded-steps.js";
import type { Database } from "../../database/db.js";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../node/clock.js";
import type { NodeSettings } from "../../node/config.js";
import { retrying } from "../model/retry.js";
import { removeFromQueues } from "./remove.js";
import { findExpired } from "./store.js";

/**
 * Removes messages whose retention period has ended; returns the number of rows it examined. Each step has its own
 * transaction, so no locks are held for long.
 */
export function expireMessages(deps: {
  db: Database;
  clock: Clock;
  metrics: Pick<MetricsService, "count">;
  config: Pick<NodeSettings, "expiryStepRows">;
}): Promise<number> {
  const { db, clock, metrics, config } = deps;
  const limit = config.expiryStepRows;
  return inBoundedSteps(limit, async () => {
    const expired = await findExpired(db, { now: clock.nowSeconds(), limit });
    if (expired.length === 0) return 0;
    const removed = await retrying(() => db.transaction((trx) => removeFromQueues(trx, expired)));
    metrics.count("messages_expired", removed.length);
    return expired.length;
  });
}
