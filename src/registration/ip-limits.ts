import type { Database } from "../database/db.js";
import type { IpBans } from "../limits/ip-ban-store.js";
import { limitRequest } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import { RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { RegistrationSettings } from "./config.js";

/** Rate limits and bans of registration by network address. Addresses are the network keys of the HTTP layer; only hashes are stored. */
export type IpLimits = ReturnType<typeof createIpLimits>;

type IpLimit = "challenges" | "first_announcements_hour" | "first_announcements_day";

export function createIpLimits(deps: {
  db: Database;
  ipBans: Pick<IpBans, "ban" | "bannedUntil">;
  rateLimiter: Pick<RateLimiter, "count">;
  config: RegistrationSettings;
}) {
  const { db, ipBans, rateLimiter, config } = deps;
  const refuseBanned = async (ip: string): Promise<void> => {
    const until = await ipBans.bannedUntil(db, ip);
    if (until === null) return;
    const extras = { reset_at: until };
    throw new RelayError("IP_BANNED", "this network address is banned because it sent a wrong proof", { extras });
  };
  const count = async (names: readonly IpLimit[], ip: string, observer?: LimitObserver): Promise<void> => {
    await refuseBanned(ip);
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
    ban: (ip: string) => ipBans.ban(db, ip, config.invalidProofBanSeconds),
  };
}
