import type { Database } from "../database/db.js";
import type { IpBans } from "../limits/ip-ban-store.js";
import { limitRequest } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { RegistrationSettings } from "./config.js";
import { banForProof, refuseBanned } from "./ip-bans.js";

/** Rate limits and bans of registration by network address. Addresses are the network keys of the HTTP layer; only hashes are stored. */
export type IpLimits = ReturnType<typeof createIpLimits>;

type IpLimit = "challenges" | "first_announcements_hour" | "first_announcements_day";

export function createIpLimits(deps: {
  db: Database;
  ipBans: Pick<IpBans, "ban" | "bannedUntil">;
  rateLimiter: Pick<RateLimiter, "count">;
  config: RegistrationSettings;
}) {
  const { db, rateLimiter, config } = deps;
  const count = async (names: readonly IpLimit[], ip: string, observer?: LimitObserver): Promise<void> => {
    await refuseBanned(deps, ip);
    const requests = names.map((name) => limitRequest(name, { ip }, config));
    await rateLimiter.count(db, requests, observer);
  };

  return {
    /** Counts a challenge. Throws IP_BANNED or RATE_LIMIT_EXCEEDED. */
    countChallenge: (ip: string, observer?: LimitObserver) => count(["challenges"], ip, observer),
    /** Counts an attempt at a first announcement, successful or not. Throws IP_BANNED or RATE_LIMIT_EXCEEDED. */
    countFirstAnnouncement: (ip: string, observer?: LimitObserver) =>
      count(["first_announcements_hour", "first_announcements_day"], ip, observer),
    /** Bans an address that sent a wrong proof. */
    ban: (ip: string) => banForProof(deps, ip),
  };
}
