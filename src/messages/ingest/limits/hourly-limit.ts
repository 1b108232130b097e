import { barredUntil, customLimitStands, hourlyLimit, isBarred, trustTier } from "../../../protocol/trust-tier.js";
import type { ServerSettings } from "../../../settings/service.js";
import type { DeviceProfile } from "../../model/read-model.js";
import type { KeyRules } from "../deduplication/key-tables.js";
import type { WindowTime } from "./sending-windows-store.js";

/** The number of messages that a device may send per window at this time. */
export interface Allowance {
  /** Messages before carry-over; null means no limit. */
  limit: number | null;
  /** The limit from which the next window carries over: 0 for custom limits and without a limit. */
  windowLimit: number;
  /** The most that this window may hold of messages carried over. */
  mostCarried: number;
  /** For a limit of 0: when it may change (Unix seconds); null if it does not change by itself. */
  zeroUntil: number | null;
  /** Recipients of a message to many that count as one message. */
  recipientsPerMessage: number;
}

export interface WindowRules extends WindowTime {
  /** Misses that a device may have per message of its limit. */
  missesPerSend: number;
}

/** The senders of a flush. `allowances` are by device. */
export interface SenderContext {
  keyRules: KeyRules;
  allowances: ReadonlyMap<string, Allowance>;
  rules: WindowRules;
}

/** The precedence of limits is that of protocol/trust-tier; only tiers carry over. */
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
  const limit = hourlyLimit(device);
  const barred = isBarred(device);
  const tiered = limit !== null && !barred && !customLimitStands(device);
  return {
    limit,
    windowLimit: tiered ? limit : 0,
    mostCarried: tiered ? settings.rate_limiting.burst_allowance : 0,
    zeroUntil: barred ? barredUntil(device) : device.customLimitExpiresAt,
    recipientsPerMessage: sharingTiers.has(trustTier(device)) ? settings.rate_limiting.recipients_per_message : 1,
  };
}

/** The tiers whose messages to many count less than their recipients do. */
const sharingTiers: ReadonlySet<string> = new Set(["trusted", "verified"]);
