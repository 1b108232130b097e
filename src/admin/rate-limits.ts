import type { Database } from "../database/db.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { hourSeconds } from "../protocol/units.js";
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { AdminSettings } from "./config.js";

/** The kinds of requests that are counted, each separately. */
type LimitedRequest = "metrics" | "config_updates" | "audit_queries";

/** Limits how often an administrator may make costly requests (specification, "Limits"), over all nodes. */
export type AdminRateLimits = ReturnType<typeof createAdminRateLimits>;

export function createAdminRateLimits(deps: {
  db: Database;
  rateLimiter: Pick<RateLimiter, "count">;
  config: AdminSettings;
}) {
  const { db, rateLimiter, config } = deps;
  const perHour: Readonly<Record<LimitedRequest, { limit: number; requests: string }>> = {
    metrics: { limit: config.adminMetricsPerHour, requests: "metrics queries" },
    config_updates: { limit: config.adminConfigUpdatesPerHour, requests: "configuration updates" },
    audit_queries: { limit: config.adminAuditQueriesPerHour, requests: "audit queries" },
  };
  return {
    /** Counts a request. Throws RATE_LIMIT_EXCEEDED, and does not count a refused request. */
    async take(deviceId: string, kind: LimitedRequest, observer?: LimitObserver): Promise<void> {
      const { limit, requests } = perHour[kind];
      const rule = { limit, windowSeconds: hourSeconds, message: `too many ${requests} in an hour` };
      const request = { ...rule, name: `admin_${kind}`, subject: { ids: [deviceId] } };
      await rateLimiter.count(db, [request], observer);
    },
  };
}
