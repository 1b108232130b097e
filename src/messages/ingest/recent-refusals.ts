import type { Database } from "../../database/db.js";
import { createLruCache } from "../../platform/lru-cache.js";
import type { Refused } from "../model/types.js";
import { readQueues } from "../queue/counters-store.js";
import { decide } from "./decide.js";
import { findDuplicates } from "./deduplication/duplicate.js";
import { noRefusals, type Refusals, without } from "./early-refusals.js";
import type { Context } from "./flush.js";
import { remainingOfQueuesAsRead } from "./limits/queue-limit.js";
import { notifySenders, refuseZero, remainingOfSenders, zeroStates } from "./limits/remaining.js";
import { largestRequestsFor } from "./limits/sending-windows.js";
import { readWindows } from "./limits/sending-windows-store.js";
import type { IsAlive } from "./model/delivery-estimate.js";
import { type Decided, isOverLimit, isRemote, type LookedUp, refusalOf, senderOf, unique } from "./model/stages.js";

// Refusals before the transaction that stores messages: they cost the database no write.

export interface RecentRefusals {
  /**
   * Refuses messages that can never be accepted, and messages whose sender or queue was over a limit within the last
   * minute and still is, as far as can be read without locks. Adds these refusals to those of unreachable messages.
   */
  refuse(messages: readonly LookedUp[], context: Context, unreachable: Refusals<LookedUp>): Promise<Refusals<LookedUp>>;
  /** Whether `refuse` refuses a message or must read to find out. */
  mayRefuse(messages: readonly LookedUp[], context: Context): boolean;
  /** Remembers the senders and queues of messages that were refused for a limit. */
  note(decided: readonly Decided[], now: number): void;
}

interface RecentRefusalsDeps {
  db: Database;
  isAlive: IsAlive;
  /** Undefined on a server that does not federate. */
}

const remembered = 20_000;
const rememberedSeconds = 60;

/**
 * A remembered device is not refused for that: its messages are first decided on a reading without locks. Messages that
 * pass go through the transaction like all others, so a raised limit applies at once.
 */
export function createRecentRefusals({ db, isAlive }: RecentRefusalsDeps): RecentRefusals {
  const limitedUntil = createLruCache<string, number>(remembered);
  const wasLimited = (message: LookedUp, now: number): boolean =>
    [senderOf(message), message.recipient?.device_id].some(
      (id) => id !== undefined && (limitedUntil.get(id) ?? 0) > now,
    );

  /** A sender without windows gets them in the transaction, so its messages are left to the transaction. */
  const decideAsRead = async (limitedBefore: readonly LookedUp[], context: Context): Promise<Decided[]> => {
    const { rules } = context;
    const keys = unique(limitedBefore.map(({ key }) => key));
    const [states, granted, seen] = await Promise.all([
      readQueues(db, unique(limitedBefore.flatMap(({ recipient }) => recipient?.device_id ?? []))),
      readWindows(db, largestRequestsFor(limitedBefore, context), rules),
      findDuplicates(db, keys, context.keyRules),
    ]);
    const queues = new Map(states.map((state) => [state.device_id, state]));
    const grants = new Map(granted.map((grant) => [grant.device_id, grant]));
    const senders = remainingOfSenders(grants, context);
    const messages = limitedBefore.filter(({ sender }) => sender.kind === "peer" || senders.has(sender.deviceId));
    const decided = decide(messages, {
      senders,
      queues: remainingOfQueuesAsRead(messages, queues, { context, isAlive }),
      fresh: new Set(keys.filter((key) => !seen.has(key))),
      rules,
    });
    notifySenders(messages, { senders, rules });
    return decided;
  };

  return {
    async refuse(messages, context, unreachable) {
      const impossible = refuseImpossible(messages, context, context.settings.federation.enabled);
      notifyBarred(impossible, context);
      const refusals = impossible.size + unreachable.size === 0 ? noRefusals : new Map([...unreachable, ...impossible]);
      const isLimited = (message: LookedUp): boolean => wasLimited(message, context.now);
      const limitedBefore = withThoseOfTheirSenders(without(messages, refusals), isLimited);
      if (limitedBefore.length === 0) return refusals;
      // A refusal that counts as a miss needs a write.
      const over = (await decideAsRead(limitedBefore, context)).filter(
        (decided) => isOverLimit(decided) && decided.used === undefined,
      );
      return new Map([
        ...refusals,
        ...over.map((decided) => [decided.message, refusalOf(decided) as Refused] as const),
      ]);
    },
    mayRefuse(messages, context) {
      if (messages.some((message) => wasLimited(message, context.now))) return true;
      return refuseImpossible(messages, context, context.settings.federation.enabled).size > 0;
    },
    note(decided, now) {
      for (const one of decided) {
        const refusal = refusalOf(one);
        if (refusal === undefined || !isOverLimit(one) || refusal.withOthers !== undefined) continue;
        const limited = refusal.error === "QUEUE_FULL" ? one.message.recipient?.device_id : senderOf(one.message);
        if (limited !== undefined) limitedUntil.set(limited, now + rememberedSeconds);
      }
    },
  };
}

/**
 * Refuses messages whose sender is gone or may send nothing, and messages for other servers if this server does not
 * federate.
 */
function refuseImpossible(
  messages: readonly LookedUp[],
  { allowances, rules }: Context,
  federates: boolean,
): Refusals<LookedUp> {
  const refusals = new Map<LookedUp, Refused>();
  for (const message of messages) {
    const sender = senderOf(message);
    const allowance = sender === undefined ? undefined : allowances.get(sender);
    if (sender !== undefined && allowance === undefined) refusals.set(message, deviceGone);
    else if (allowance?.limit === 0) refusals.set(message, refuseZero(allowance, rules));
    else if (isRemote(message) && !federates) refusals.set(message, noFederation);
  }
  return refusals;
}

/** Tells senders that may send nothing about their limits. */
function notifyBarred(refusals: Refusals<LookedUp>, { allowances, rules }: Context): void {
  for (const { sender } of refusals.keys()) {
    const allowance = sender.kind === "device" ? allowances.get(sender.deviceId) : undefined;
    if (sender.kind !== "device" || allowance?.limit !== 0) continue;
    sender.observer?.observeLimits(zeroStates(allowance, rules), rules.now);
  }
}

/**
 * The messages that meet the condition, and all other messages of their senders, because each may use up the limit of
 * later ones.
 */
function withThoseOfTheirSenders(
  messages: readonly LookedUp[],
  holds: (message: LookedUp) => boolean,
): readonly LookedUp[] {
  const found = new Set(messages.filter(holds));
  if (found.size === 0) return [];
  const senders = new Set([...found].map(senderOf));
  return messages.filter((message) => {
    const sender = senderOf(message);
    return found.has(message) || (sender !== undefined && senders.has(sender));
  });
}

const deviceGone: Refused = { error: "INVALID_TOKEN", message: "the device of this token is not registered any more" };
const noFederation: Refused = {
  error: "FEDERATION_DISABLED",
  message: "this server exchanges no messages with other servers",
};
