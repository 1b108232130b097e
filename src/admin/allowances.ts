import type { Knex } from "knex";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { hourSeconds } from "../protocol/units.js";
import { countOne, deleteWindowsBefore, readWindowStart } from "./allowance-store.js";

/** What is counted of an administrator, each kind by itself. */
export type AdminAllowance = "metrics" | "config_updates" | "audit_queries";

/** How often administrators may ask for what is costly (specification, "Limits"), over all nodes. */
export interface AdminAllowances {
  /** Counts one request. Throws RATE_LIMIT_EXCEEDED; what is refused is not counted. */
  take(deviceId: string, kind: AdminAllowance): Promise<void>;
  removeExpired(): Promise<void>;
}

export type AllowanceConfig = Pick<
  Config,
  "adminMetricsPerHour" | "adminConfigUpdatesPerHour" | "adminAuditQueriesPerHour"
>;

const windowSeconds = hourSeconds;

/** A window is fixed: it begins with the first request that it counts. */
export function createAdminAllowances(deps: { db: Knex; clock: Clock; config: AllowanceConfig }): AdminAllowances {
  const { db, clock, config } = deps;
  const perHour: Readonly<Record<AdminAllowance, { limit: number; what: string }>> = {
    metrics: { limit: config.adminMetricsPerHour, what: "metrics queries" },
    config_updates: { limit: config.adminConfigUpdatesPerHour, what: "configuration updates" },
    audit_queries: { limit: config.adminAuditQueriesPerHour, what: "audit queries" },
  };
  return {
    async take(deviceId, kind) {
      const { limit, what } = perHour[kind];
      const now = clock.nowSeconds();
      if ((await countOne(db, { deviceId, kind, now, windowSeconds, limit })) !== undefined) return;
      const resetAt = ((await readWindowStart(db, { deviceId, kind })) ?? now) + windowSeconds;
      throw rateLimitExceeded(`too many ${what} in an hour`, { limit, resetAt, now });
    },
    removeExpired: () => deleteWindowsBefore(db, clock.nowSeconds() - windowSeconds),
  };
}
