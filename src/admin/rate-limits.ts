import type { Knex } from "knex";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { hourSeconds } from "../protocol/units.js";
import { countRequest, deleteWindowsBefore, readWindowStart } from "./store.js";

/** The kinds of requests that are counted, each separately. */
export type LimitedRequest = "metrics" | "config_updates" | "audit_queries";

/** Limits how often an administrator may make costly requests (specification, "Limits"), over all nodes. */
export interface AdminRateLimits {
  /** Counts a request. Throws RATE_LIMIT_EXCEEDED, and does not count a refused request. */
  take(deviceId: string, kind: LimitedRequest): Promise<void>;
  /** Deletes windows that have ended. */
  removeExpired(): Promise<void>;
}

export type RateLimitConfig = Pick<
  Config,
  "adminMetricsPerHour" | "adminConfigUpdatesPerHour" | "adminAuditQueriesPerHour"
>;

const windowSeconds = hourSeconds;

/** Windows are fixed: each begins with the first request that it counts. */
export function createAdminRateLimits(deps: { db: Knex; clock: Clock; config: RateLimitConfig }): AdminRateLimits {
  const { db, clock, config } = deps;
  const perHour: Readonly<Record<LimitedRequest, { limit: number; requests: string }>> = {
    metrics: { limit: config.adminMetricsPerHour, requests: "metrics queries" },
    config_updates: { limit: config.adminConfigUpdatesPerHour, requests: "configuration updates" },
    audit_queries: { limit: config.adminAuditQueriesPerHour, requests: "audit queries" },
  };
  return {
    async take(deviceId, kind) {
      const { limit, requests } = perHour[kind];
      const now = clock.nowSeconds();
      if ((await countRequest(db, { deviceId, kind, now, windowSeconds, limit })) !== undefined) return;
      const resetAt = ((await readWindowStart(db, { deviceId, kind })) ?? now) + windowSeconds;
      throw rateLimitExceeded(`too many ${requests} in an hour`, { limit, resetAt, now });
    },
    removeExpired: () => deleteWindowsBefore(db, clock.nowSeconds() - windowSeconds),
  };
}
