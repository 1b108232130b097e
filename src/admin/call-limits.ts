import type { Database } from "../database/db.js";
import { limitRequest } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { AdminSettings } from "./config.js";

/** The kinds of requests that are counted, each separately. */
type LimitedRequest = "metrics" | "config_updates" | "audit_queries";

/** Limits how often an administrator may make costly requests (specification, "Limits"), over all nodes. */
export type AdminCallLimits = ReturnType<typeof createAdminCallLimits>;

export function createAdminCallLimits(deps: {
  db: Database;
  rateLimiter: Pick<RateLimiter, "count">;
  config: AdminSettings;
}) {
  const { db, rateLimiter, config } = deps;
  return {
    /** Counts a request. Throws RATE_LIMIT_EXCEEDED, and does not count a refused request. */
    async take(deviceId: string, kind: LimitedRequest, observer?: LimitObserver): Promise<void> {
      await rateLimiter.count(db, [limitRequest(`admin_${kind}`, { ids: [deviceId] }, config)], observer);
    },
  };
}
