import type { Database } from "../../../database/db.js";
import { type LimitName, limits } from "../../../limits/table.js";
import { type LimitObserver, type LimitState, usedUpExtras } from "../../../protocol/rate-limit.js";
import type { ServerSettings } from "../../../settings/service.js";
import { findDeviceProfiles } from "../../model/read-model.js";
import { type Refused, refusalError } from "../../model/types.js";
import type { Parsed } from "../model/stages.js";
import { type Allowance, allowanceOf, type SenderContext, type WindowRules } from "./messages-per-hour.js";
import { requestOf } from "./sending-windows.js";
import { readWindows, type WindowGrant } from "./sending-windows-store.js";

// What is left of the limits of senders, how senders are notified of it, and the refusal if nothing is left.

/** The part of a sender's grant that is left while messages are decided one after the other. */
export interface SenderRemaining {
  sends: number;
  sendLimit: number;
  sendsResetAt: number;
  misses: number;
  missLimit: number;
  missesResetAt: number;
  /** What was granted, and the limits that granted it. */
  allowance: Allowance;
  grant: WindowGrant;
  /** Number of recipients of a message to many that count as one message. */
  recipientsPerMessage: number;
}

/** The remaining part of each sender's grant, before the first message is decided. */
export function remainingOfSenders(
  grants: ReadonlyMap<string, WindowGrant>,
  { allowances, rules }: SenderContext,
): Map<string, SenderRemaining> {
  const senders = new Map<string, SenderRemaining>();
  for (const [id, grant] of grants) {
    const allowance = allowances.get(id);
    if (allowance) senders.set(id, remainingOf(allowance, grant, rules));
  }
  return senders;
}

/** The remaining part of one sender's grant. */
function remainingOf(allowance: Allowance, grant: WindowGrant, rules: WindowRules): SenderRemaining {
  const limit = allowance.limit ?? Number.POSITIVE_INFINITY;
  return {
    sends: grant.granted,
    sendLimit: limit + grant.carry,
    sendsResetAt: grant.started_at + rules.windowSeconds,
    misses: allowance.limit === null ? Number.POSITIVE_INFINITY : grant.misses_granted,
    missLimit: limit * rules.missesPerSend,
    missesResetAt: grant.misses_started_at + rules.windowSeconds,
    allowance,
    grant,
    recipientsPerMessage: allowance.recipientsPerMessage,
  };
}

/** The state of a sender's limits once the unused part of its grant has been given back; empty without a limit. */
function limitStates(sender: SenderRemaining, rules: WindowRules): LimitState[] {
  const { allowance, grant, missLimit } = sender;
  if (allowance.limit === null) return [];
  const sends = { startedAt: grant.started_at, used: grant.count - sender.sends };
  const misses = { startedAt: grant.misses_started_at, used: grant.misses_count - sender.misses };
  const carry = isOver(sends, rules) ? 0 : grant.carry;
  return [
    limitState("messages", { ...sends, limit: allowance.limit + carry }, rules),
    limitState("misses", { ...misses, limit: missLimit }, rules),
  ];
}

/** The state for a device that may send nothing. */
export function zeroStates({ zeroUntil }: Allowance, { windowSeconds }: WindowRules): LimitState[] {
  return ["messages", "misses"].map((name) => ({ name, limit: 0, remaining: 0, windowSeconds, resetAt: zeroUntil }));
}

function limitState(
  name: LimitName,
  window: { startedAt: number; used: number; limit: number },
  rules: WindowRules,
): LimitState {
  const { windowSeconds } = rules;
  const used = isOver(window, rules) ? 0 : window.used;
  const resetAt = used > 0 ? window.startedAt + windowSeconds : null;
  return { name, limit: window.limit, remaining: Math.max(0, window.limit - used), windowSeconds, resetAt };
}

/** A statement that counts nothing in a window leaves the window unchanged. */
function isOver({ startedAt }: { startedAt: number }, { now, windowSeconds }: WindowRules): boolean {
  return startedAt + windowSeconds <= now;
}

/** Notifies senders of the state of their limits, if they asked for it. */
export function notifySenders(
  messages: readonly Parsed[],
  { senders, rules }: { senders: ReadonlyMap<string, SenderRemaining>; rules: WindowRules },
): void {
  let last: Parsed["sender"] | undefined;
  for (const { sender } of messages) {
    if (sender === last || sender.kind !== "device" || sender.observer === undefined) continue;
    last = sender;
    const remaining = senders.get(sender.deviceId);
    if (remaining !== undefined) sender.observer.observeLimits(limitStates(remaining, rules), rules.now);
  }
}

/** The refusal of a device that may send nothing. */
export function refuseZero({ zeroUntil }: Allowance, rules: WindowRules): Refused {
  return refuse(limits.messages.barred, { limit: 0, resetAt: zeroUntil, rules });
}

/** The refusal of a message beyond the sender's limit. */
export function refuseSend({ sendLimit: limit, sendsResetAt: resetAt }: SenderRemaining, rules: WindowRules): Refused {
  return refuse(limits.messages.message, { limit, resetAt, rules });
}

/** The refusal of a miss beyond the limit of misses. */
export function refuseMiss({ missLimit: limit, missesResetAt: resetAt }: SenderRemaining, rules: WindowRules): Refused {
  return refuse(limits.misses.message, { limit, resetAt, rules });
}

function refuse(message: string, used: { limit: number; resetAt: number | null; rules: WindowRules }): Refused {
  const { limit, resetAt, rules } = used;
  const window = { limit, resetAt, now: rules.now, unknownWaitSeconds: rules.windowSeconds };
  return { error: "RATE_LIMIT_EXCEEDED", message, extras: usedUpExtras(window) };
}

/** What a device may still send, as far as can be read without locks. Counts nothing. */
interface RemainingSends {
  /** Throws RATE_LIMIT_EXCEEDED if the device may send nothing. A device that passes may still be refused later. */
  refuseSpent(deviceId: string, observer?: LimitObserver): Promise<void>;
  /** Empty for a device without a limit and for an unregistered device. */
  remainingSends(deviceId: string): Promise<LimitState[]>;
}

export function createRemainingSends(deps: {
  db: Database;
  now: () => number;
  settings: () => ServerSettings;
  missesPerSend: number;
}): RemainingSends {
  const { db, missesPerSend } = deps;
  const read = async (deviceId: string) => {
    const [now, settings] = [deps.now(), deps.settings()];
    const rules = { now, windowSeconds: settings.rate_limiting.window_seconds, missesPerSend };
    const profile = (await findDeviceProfiles(db, [deviceId])).get(deviceId);
    if (profile === undefined) return undefined;
    const allowance = allowanceOf(profile, { now, settings });
    if (allowance.limit === 0)
      return { rules, states: zeroStates(allowance, rules), refusal: refuseZero(allowance, rules) };
    const request = requestOf(deviceId, allowance, { sends: 1, misses: 1, rules });
    const [grant] = await readWindows(db, [request], rules);
    const remaining = remainingOf(allowance, grant ?? emptyWindows(deviceId), rules);
    const isSpent = grant !== undefined && remaining.sends < 1;
    return {
      rules,
      states: limitStates(remaining, rules),
      refusal: isSpent ? refuseSend(remaining, rules) : undefined,
    };
  };
  return {
    async refuseSpent(deviceId, observer) {
      const found = await read(deviceId);
      if (found === undefined) return;
      observer?.observeLimits(found.states, found.rules.now);
      if (found.refusal !== undefined) throw refusalError(found.refusal);
    },
    remainingSends: async (deviceId) => (await read(deviceId))?.states ?? [],
  };
}

/** The windows of a device that has none. */
function emptyWindows(device_id: string): WindowGrant {
  const windows = { started_at: 0, count: 0, carry: 0, misses_started_at: 0, misses_count: 0 };
  return { device_id, ...windows, granted: 0, misses_granted: 0 };
}
