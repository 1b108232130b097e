import type { Knex } from "knex";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import type { IpBans } from "../platform/rate-limit/ip-bans.js";
import type { IpWindows } from "../platform/rate-limit/ip-windows.js";
import { RelayError } from "../protocol/errors.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";

/** Rate limits and bans of registration by network address. Addresses are the network keys of the HTTP layer; only hashes are stored. */
export interface IpLimits {
  /** Counts a challenge. Throws IP_BANNED or RATE_LIMIT_EXCEEDED. */
  countChallenge(ip: string): Promise<void>;
  /** Counts an attempt at a first announcement, successful or not. Throws IP_BANNED or RATE_LIMIT_EXCEEDED. */
  countFirstAnnouncement(ip: string): Promise<void>;
  /** Bans an address that sent a wrong proof. */
  ban(ip: string): Promise<void>;
}

export type IpLimitConfig = Pick<
  Config,
  "challengesPerIpHour" | "firstAnnouncementsPerIpHour" | "firstAnnouncementsPerIpDay" | "invalidProofBanSeconds"
>;

interface Rule {
  kind: string;
  windowSeconds: number;
  limit: number;
  message: string;
}

export function createIpLimits(deps: {
  db: Knex;
  clock: Clock;
  ipBans: Pick<IpBans, "ban" | "bannedUntil">;
  ipWindows: Pick<IpWindows, "take">;
  config: IpLimitConfig;
}): IpLimits {
  const { db, clock, ipBans, ipWindows, config } = deps;
  const challenges: Rule = {
    kind: "challenge",
    windowSeconds: hourSeconds,
    limit: config.challengesPerIpHour,
    message: "too many challenges for this network address",
  };
  const perHour: Rule = {
    kind: "first-announcement-hour",
    windowSeconds: hourSeconds,
    limit: config.firstAnnouncementsPerIpHour,
    message: "too many first announcements from this network address in an hour",
  };
  const perDay: Rule = {
    kind: "first-announcement-day",
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
  const take = async (ip: string, { message, ...window }: Rule): Promise<void> => {
    const { granted, resetAt } = await ipWindows.take(db, { ip, ...window });
    if (!granted) throw rateLimitExceeded(message, { limit: window.limit, resetAt, now: clock.nowSeconds() });
  };

  return {
    async countChallenge(ip) {
      await refuseBanned(ip);
      await take(ip, challenges);
    },
    async countFirstAnnouncement(ip) {
      await refuseBanned(ip);
      await take(ip, perHour);
      await take(ip, perDay);
    },
    ban: (ip) => ipBans.ban(db, ip, config.invalidProofBanSeconds),
  };
}
