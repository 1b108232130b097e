import type { LimitsHandlers } from "../../generated/handlers.js";
import type { LimitsService } from "./service.js";

/** The limits of devices on the wire. */
export function createLimitsHandlers({ limits }: { limits: LimitsService }): LimitsHandlers {
  return {
    async getLimits(call) {
      const { tier, next, states, now } = await limits.limitsOf(call.principal.deviceId);
      return call.reply({
        status: 200,
        body: {
          trust_tier: tier,
          ...(next !== null && { next_tier: next.tier, next_tier_at: next.at }),
          limits: states.map(({ name, limit, remaining, windowSeconds, resetAt }) => ({
            name,
            limit,
            remaining,
            window_seconds: windowSeconds,
            reset_at: resetAt,
          })),
          server_timestamp: now,
        },
      });
    },
  };
}
