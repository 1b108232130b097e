import { barredUntil, isBarred, messageLimit, trustTier } from "../../../protocol/trust-tier.js";
import type { ServerSettings } from "../../../settings/service.js";
import type { DeviceProfile } from "../../model/read-model.js";
import type { KeyRules } from "../deduplication/key-tables.js";
import { type CarryOver, carriedOver, carryOverOf } from "./carry-over.js";

// The message limit: how many messages a device may send in a window of `rate_limiting.window_seconds` (3600), from all
// its addresses together. The first line that applies decides; the numbers are the defaults of the settings.
//
//   blocked or banned              0
//   rate limiting switched off     no limit
//   custom limit, until it ends    0 to 1000, as an administrator set it
//   Verified                       300
//   New, up to 6 hours old         10
//   Established, up to 24 hours    60
//   Trusted                        300
//
// Tiers and precedence are in protocol/trust-tier.ts. carry-over.ts adds what was left of the previous window, and
// sending-costs.ts says how a message to many counts.

export interface WindowTime {
  /** Unix seconds. */
  now: number;
  windowSeconds: number;
}

/** The number of messages that a device may send per window at this time. */
export interface Allowance extends CarryOver {
  /** Messages before carry-over; null means no limit. */
  limit: number | null;
  /** For a limit of 0: when it may change (Unix seconds); null if it does not change over time. */
  zeroUntil: number | null;
  /** Number of recipients of a message to many that count as one message. */
  recipientsPerMessage: number;
}

export interface WindowRules extends WindowTime {
  /** Number of misses that a device may have per message of its limit. */
  missesPerSend: number;
}

/** The senders of a flush. `allowances` are by device. */
export interface SenderContext {
  keyRules: KeyRules;
  allowances: ReadonlyMap<string, Allowance>;
  rules: WindowRules;
}

export function allowanceOf(
  profile: DeviceProfile,
  { now, settings }: { now: number; settings: ServerSettings },
): Allowance {
  const device = {
    now,
    settings,
    registeredAt: profile.registered_at,
    verified: profile.admin_verified,
    blockedAt: profile.blocked_at,
    bannedUntil: profile.banned_until,
    customLimit: profile.custom_limit,
    customLimitExpiresAt: profile.custom_limit_expires_at,
  };
  const limit = messageLimit(device);
  const barred = isBarred(device);
  return {
    limit,
    ...carryOverOf(device, limit, settings.rate_limiting.burst_allowance),
    zeroUntil: barred ? barredUntil(device) : device.customLimitExpiresAt,
    recipientsPerMessage: sharingTiers.has(trustTier(device)) ? settings.rate_limiting.recipients_per_message : 1,
  };
}

/** The tiers for which a message to many counts as fewer messages than it has recipients. */
const sharingTiers: ReadonlySet<string> = new Set(["trusted", "verified"]);

/**
 * Grants a request as far as the limit and the carry-over allow. A window begins with the first message that counts in
 * it and lasts `window_seconds`; the next one begins with the next message. Repeated messages, unknown recipients and
 * refused messages ("misses") have a separate window and limit: `missesPerSendLimit` (3) for each message of the
 * limit. `w` is the window before the change, `d` the request.
 */
export const grantInWindow = `
  select case when d.sends = 0 then w.started_at when b.begins then :now::bigint else w.started_at end as started_at,
         case when d.sends = 0 then w.count else b.used + s.granted end as count,
         case when d.sends = 0 then w.window_limit else d.window_limit end as window_limit,
         b.carry,
         s.granted,
         case when d.misses = 0 then w.misses_started_at when b.misses_begin then :now::bigint else w.misses_started_at
         end as misses_started_at,
         case when d.misses = 0 then w.misses_count else b.misses_used + s.misses_granted end as misses_count,
         s.misses_granted,
         w.sent + s.granted as sent
  from (
    select o.over or w.count = 0 as begins,
           case when o.over then 0 else w.count end as used,
           ${carriedOver} as carry,
           o.misses_over or w.misses_count = 0 as misses_begin,
           case when o.misses_over then 0 else w.misses_count end as misses_used
    from (
      select w.started_at + :windowSeconds::integer <= :now::bigint as over,
             w.misses_started_at + :windowSeconds::integer <= :now::bigint as misses_over
    ) as o
  ) as b,
  lateral (
    select least(d.sends, greatest(0, d.send_limit + b.carry - b.used)) as granted,
           least(d.misses, greatest(0, d.miss_limit - b.misses_used)) as misses_granted
  ) as s`;

/** How many misses a device may have in a window. Without a limit for messages they are not counted. */
export function missLimitOf(limit: number | null, { missesPerSend }: Pick<WindowRules, "missesPerSend">): number {
  return limit === null ? 0 : limit * missesPerSend;
}
