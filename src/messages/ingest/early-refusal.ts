import type { Database } from "../../database/db.js";
import { createLruCache } from "../../platform/lru-cache.js";
import type { Refused } from "../model/types.js";
import { readQueues } from "../queue/counters-store.js";
import { decide } from "./decide.js";
import { findDuplicates } from "./deduplication/duplicate.js";
import type { Allowance, WindowRules } from "./limits/hourly-limit.js";
import { type IsAlive, remainingOfQueuesAsRead } from "./limits/queue-limit.js";
import { notifySenders, refuseZero, remainingOfSenders, zeroStates } from "./limits/sender-remaining.js";
import { readWindows } from "./limits/sending-windows-store.js";
import { largestRequestsFor } from "./limits/window-requests.js";
import type { Context } from "./look-up.js";
import { type Item, isOpen, isOverLimit, isRemote, refusalOf, senderOf, unique } from "./model/item.js";

// Refusals before the transaction that stores messages: they cost the database no write.

/**
 * Refuses items whose sender is gone or may send nothing, and items for other servers if this server does not federate.
 */
export function refuseImpossible(
  items: readonly Item[],
  { allowances, rules }: Context,
  { federates }: { federates: boolean },
): void {
  for (const item of items) {
    const sender = senderOf(item);
    const allowance = sender === undefined ? undefined : allowances.get(sender);
    if (sender !== undefined && allowance === undefined) item.outcome = deviceGone;
    else if (allowance?.limit === 0) refuseBarred(item, allowance, rules);
    else if (isRemote(item) && !federates) item.outcome = noFederation;
  }
}

function refuseBarred(item: Item, allowance: Allowance, rules: WindowRules): void {
  item.outcome = refuseZero(allowance, rules);
  if (item.sender.kind === "device") item.sender.observer?.observeLimits(zeroStates(allowance, rules), rules.now);
}

const remembered = 20_000;
const rememberedSeconds = 60;
/** The senders and queues that were over a limit within the last minute. */
interface RecentlyLimited {
  /**
   * Refuses items that concern one of these devices and are over a limit, as far as can be read without locks. Does not
   * touch the others.
   */
  refuse(items: readonly Item[], context: Context): Promise<void>;
  /** Whether any of the items concerns one of these devices. */
  concerns(items: readonly Item[], now: number): boolean;
  /** Remembers the senders and queues of items that were refused for a limit. */
  note(items: readonly Item[], now: number): void;
}

/**
 * A remembered device is not refused for that: its items are first decided on a reading without locks. Items that pass
 * go through the transaction like all others, so a raised limit applies at once.
 */
export function createRecentlyLimited({ db, isAlive }: { db: Database; isAlive: IsAlive }): RecentlyLimited {
  const until = createLruCache<string, number>(remembered);
  const wasLimited = (item: Item, now: number) =>
    [senderOf(item), item.recipient?.device_id].some((id) => id !== undefined && (until.get(id) ?? 0) > now);

  return {
    async refuse(items, context) {
      const { now, rules } = context;
      const limitedBefore = withThoseOfTheirSenders(items.filter(isOpen), (item) => wasLimited(item, now));
      if (limitedBefore.length === 0) return;
      const keys = unique(limitedBefore.map(({ key }) => key));
      const [states, granted, seen] = await Promise.all([
        readQueues(db, unique(limitedBefore.flatMap((item) => item.recipient?.device_id ?? []))),
        readWindows(db, largestRequestsFor(limitedBefore, context), rules),
        findDuplicates(db, keys, context.keyRules),
      ]);
      const queues = new Map(states.map((state) => [state.device_id, state]));
      const grants = new Map(granted.map((grant) => [grant.device_id, grant]));
      const senders = remainingOfSenders(grants, context);
      // A sender without windows gets them in the transaction.
      const decided = limitedBefore.filter((item) => item.sender.kind === "peer" || senders.has(item.sender.deviceId));
      decide(decided, {
        senders,
        queues: remainingOfQueuesAsRead(decided, queues, { context, isAlive }),
        fresh: new Set(keys.filter((key) => !seen.has(key))),
        rules,
      });
      for (const item of decided) {
        // A refusal that counts needs a write.
        if (!isOverLimit(item) || item.used !== undefined) item.outcome = undefined;
      }
      notifySenders(decided, { senders, rules });
    },
    concerns: (items, now) => items.some((item) => wasLimited(item, now)),
    note(items, now) {
      for (const item of items) {
        const error = refusalOf(item)?.error ?? "";
        const limited = error === "QUEUE_FULL" ? item.recipient?.device_id : senderOf(item);
        const isOwn = isOverLimit(item) && refusalOf(item)?.withOthers === undefined;
        if (isOwn && limited !== undefined) until.set(limited, now + rememberedSeconds);
      }
    },
  };
}

/**
 * The items that meet the condition, and all other items of their senders, because each may use up the limit of later
 * ones.
 */
function withThoseOfTheirSenders(items: readonly Item[], holds: (item: Item) => boolean): Item[] {
  const found = new Set(items.filter(holds));
  if (found.size === 0) return [];
  const senders = new Set([...found].map(senderOf));
  return items.filter((item) => found.has(item) || (senderOf(item) !== undefined && senders.has(senderOf(item))));
}

const deviceGone: Refused = { error: "INVALID_TOKEN", message: "the device of this token is not registered any more" };
const noFederation: Refused = {
  error: "FEDERATION_DISABLED",
  message: "this server exchanges no messages with other servers",
};
