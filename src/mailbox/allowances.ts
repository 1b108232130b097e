import { windowStands } from "../protocol/sending-window.js";
import { barredUntil, customLimitStands, hourlyLimit, isBarred } from "../protocol/trust-tier.js";
import type { ServerSettings } from "../settings/service.js";
import type { Refused } from "./envelope.js";
import type { MailboxState, Member } from "./intake-store.js";

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

const longestRetryAfterSeconds = 2_592_000;

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

/** What is left to a sender whose mailbox holds this, `asked` included. */
export function accountOf(
  allowance: Allowance,
  state: MailboxState,
  { rules, asked }: { rules: WindowRules; asked: { counted: number; missed: number } },
): SenderAccount {
  const limit = allowance.limit ?? Number.POSITIVE_INFINITY;
  const sentLimit = limit + state.window_carry;
  const missesLimit = limit * rules.missesPerSend;
  return {
    allowance,
    sentLimit,
    sentLeft: sentLimit - (state.window_count - asked.counted),
    sentResetAt: state.window_started_at + rules.windowSeconds,
    missesLimit,
    missesLeft: missesLimit - (state.misses_count - asked.missed),
    missesResetAt: state.misses_started_at + rules.windowSeconds,
  };
}

/** The same of a mailbox that was only read: windows whose time is over stand for empty ones. */
export function accountAsRead(allowance: Allowance, state: MailboxState, rules: WindowRules): SenderAccount {
  const sent = { startedAt: state.window_started_at, count: 0, limit: 0, carry: 0 };
  const missed = { ...sent, startedAt: state.misses_started_at };
  const current = {
    ...state,
    window_carry: Math.min(state.window_carry, allowance.mostCarried),
    window_count: windowStands(sent, rules) ? state.window_count : Number.NEGATIVE_INFINITY,
    misses_count: windowStands(missed, rules) ? state.misses_count : Number.NEGATIVE_INFINITY,
  };
  return accountOf(allowance, current, { rules, asked: { counted: 0, missed: 0 } });
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
