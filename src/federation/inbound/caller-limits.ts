import type { Knex } from "knex";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import type { IpWindows } from "../../platform/rate-limit/ip-windows.js";
import { rateLimitExceeded } from "../../protocol/rate-limit.js";

/** Bounds what one network address may ask before it has shown who it is. Throws RATE_LIMIT_EXCEEDED. */
export interface CallerLimits {
  countChallenge(ip: string): Promise<void>;
  countAuthentication(ip: string): Promise<void>;
}

const windowSeconds = 60;

export function createCallerLimits(deps: {
  db: Knex;
  clock: Clock;
  ipWindows: Pick<IpWindows, "take">;
  config: Pick<Config, "federationChallengesPerIpMinute" | "federationAuthenticationsPerIpMinute">;
}): CallerLimits {
  const { db, clock, ipWindows, config } = deps;
  const count = async (ip: string, { kind, limit }: { kind: string; limit: number }): Promise<void> => {
    const { granted, resetAt } = await ipWindows.take(db, { kind, ip, windowSeconds, limit });
    if (granted) return;
    const message = "too many attempts to authenticate from this network address";
    throw rateLimitExceeded(message, { limit, resetAt, now: clock.nowSeconds() });
  };
  return {
    countChallenge: (ip) => count(ip, { kind: "peer-challenge", limit: config.federationChallengesPerIpMinute }),
    countAuthentication: (ip) =>
      count(ip, { kind: "peer-authentication", limit: config.federationAuthenticationsPerIpMinute }),
  };
}
