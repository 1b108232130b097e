import type { Database } from "../database/db.js";
import { RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { IpBans } from "../rate-limit/ip-ban-store.js";
import type { LimitRule } from "../rate-limit/limits.js";
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { RegistrationSettings } from "./config.js";

/** Rate limits and bans of registration by network address. Addresses are the network keys of the HTTP layer; only hashes are stored. */
export type IpLimits = ReturnType<typeof createIpLimits>;

export function createIpLimits(deps: {
  db: Database;
  ipBans: Pick<IpBans, "ban" | "bannedUntil">;
  rateLimiter: Pick<RateLimiter, "count">;
  config: RegistrationSettings;
}) {
  const { db, ipBans, rateLimiter, config } = deps;
  const challenges: LimitRule = {
    name: "challenges",
    windowSeconds: hourSeconds,
    limit: config.challengesPerIpHour,
    message: "too many challenges for this network address",
  };
  const perHour: LimitRule = {
    name: "first_announcements_hour",
    windowSeconds: hourSeconds,
    limit: config.firstAnnouncementsPerIpHour,
    message: "too many first announcements from this network address in an hour",
  };
  const perDay: LimitRule = {
    name: "first_announcements_day",
    windowSeconds: daySeconds,
    limit: config.firstAnnouncementsPerIpDay,
    message: "too many first announcements from this network address in a day",
  };

  const refuseBanned = async (ip: string): Promise<void> => {
    const until = await ipBans.bannedUntil(db, ip);
    if (until === null) return;
    const extras = { reset_at: until };
    throw new RelayError("IP_BANNED", "this network address is banned because it sent a wrong proof", { extras });
  };
  const count = async (rules: readonly LimitRule[], ip: string, observer?: LimitObserver): Promise<void> => {
    await refuseBanned(ip);
    const requests = rules.map((rule) => ({ ...rule, subject: { ip } }));
    await rateLimiter.count(db, requests, observer);
  };

  return {
    /** Counts a challenge. Throws IP_BANNED or RATE_LIMIT_EXCEEDED. */
    countChallenge: (ip: string, observer?: LimitObserver) => count([challenges], ip, observer),
    /** Counts an attempt at a first announcement, successful or not. Throws IP_BANNED or RATE_LIMIT_EXCEEDED. */
    countFirstAnnouncement: (ip: string, observer?: LimitObserver) => count([perHour, perDay], ip, observer),
    /** Bans an address that sent a wrong proof. */
    ban: (ip: string) => ipBans.ban(db, ip, config.invalidProofBanSeconds),
  };
}
