import { barredUntil, customLimitStands, hourlyLimit, isBarred } from "../../protocol/trust-tier.js";
import { daySeconds } from "../../protocol/units.js";
import type { ServerSettings } from "../../settings/service.js";
import type { Refused } from "../types.js";
import type { Member } from "./store.js";
import type { WindowAsk, WindowGrant } from "./window-store.js";

/** What a device may send per window at this time. */
export interface Allowance {
  /** Messages before carry-over; null is no limit. */
  limit: number | null;
  /** What the window after this one carries over from: nothing from custom limits and from no limit. */
  windowLimit: number;
  /** Most that this window may hold of what was carried over. */
  mostCarried: number;
  /** For a limit of 0: when it may change; null where it does not by itself. */
  zeroUntil: number | null;
  barred: boolean;
}

/** What is left of a sender's two windows while envelopes are judged one after the other. */
export interface SenderAccount {
  allowance: Allowance;
  sentLeft: number;
  sentLimit: number;
  sentResetAt: number;
  missesLeft: number;
  missesLimit: number;
  missesResetAt: number;
}

/** Repetitions and unknown recipients that a device may have per message of its limit, and the settings' part. */
export interface WindowRules {
  now: number;
  windowSeconds: number;
  missesPerSend: number;
}

/** More than any window counts. */
const unlimited = 2 ** 52;
const longestRetryAfterSeconds = 30 * daySeconds;

/** The precedence is protocol/trust-tier's; carry-over is for tiers alone. */
export function allowanceOf(member: Member, { now, settings }: { now: number; settings: ServerSettings }): Allowance {
  const device = {
    now,
    settings,
    registeredAt: member.registered_at,
    verified: member.admin_verified,
    blockedAt: member.blocked_at,
    bannedUntil: member.banned_until,
    customLimit: member.custom_limit,
    customLimitExpiresAt: member.custom_limit_expires_at,
  };
  const limit = hourlyLimit(device);
  const barred = isBarred(device);
  const tiered = limit !== null && !barred && !customLimitStands(device);
  return {
    limit,
    windowLimit: tiered ? limit : 0,
    mostCarried: tiered ? settings.rate_limiting.burst_allowance : 0,
    zeroUntil: barred ? barredUntil(device) : device.customLimitExpiresAt,
    barred,
  };
}

/** What is left to a sender whose windows granted this. */
export function accountOf(allowance: Allowance, grant: WindowGrant, rules: WindowRules): SenderAccount {
  const limit = allowance.limit ?? Number.POSITIVE_INFINITY;
  return {
    allowance,
    sentLimit: limit + grant.carry,
    sentLeft: grant.granted,
    sentResetAt: grant.started_at + rules.windowSeconds,
    missesLimit: limit * rules.missesPerSend,
    missesLeft: allowance.limit === null ? Number.POSITIVE_INFINITY : grant.misses_granted,
    missesResetAt: grant.misses_started_at + rules.windowSeconds,
  };
}

/** What is asked of a sender's windows. Where there is no limit there is none on misses, and none are counted. */
export function askOf(
  deviceId: string,
  { limit, windowLimit, mostCarried }: Allowance,
  { sends, misses, rules }: { sends: number; misses: number; rules: WindowRules },
): WindowAsk {
  return {
    ...{ deviceId, sends, windowLimit, mostCarried },
    misses: limit === null ? 0 : misses,
    sendLimit: limit ?? unlimited,
    missLimit: limit === null ? 0 : limit * rules.missesPerSend,
  };
}

/** The refusal of a device that may send nothing at all. */
export function refuseZero({ zeroUntil }: Allowance, rules: WindowRules): Refused {
  const message = "this device may not send messages at the moment";
  return limited(message, { limit: 0, resetAt: zeroUntil, rules });
}

/** The refusal of a message beyond the sender's limit. */
export function refuseSend(account: SenderAccount, rules: WindowRules): Refused {
  const message = "the message limit of this device is used up";
  return limited(message, { limit: account.sentLimit, resetAt: account.sentResetAt, rules });
}

/** The refusal of a repetition or an unknown recipient beyond three times the limit. */
export function refuseMiss(account: SenderAccount, rules: WindowRules): Refused {
  const message = "too many repeated messages and unknown recipients";
  return limited(message, { limit: account.missesLimit, resetAt: account.missesResetAt, rules });
}

function limited(message: string, at: { limit: number; resetAt: number | null; rules: WindowRules }): Refused {
  const { now, windowSeconds } = at.rules;
  const wait = at.resetAt === null ? windowSeconds : Math.max(1, at.resetAt - now);
  const retryAfter = Math.min(wait, longestRetryAfterSeconds);
  return {
    error: "RATE_LIMIT_EXCEEDED",
    message,
    extras: { limit: at.limit, reset_at: at.resetAt, retry_after: retryAfter },
  };
}
