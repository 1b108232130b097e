import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import { type IsAlive, openBalancesAsRead } from "./balances.js";
import { decide } from "./decide.js";
import { devicesOf, type Item, refusalOf, senderOf } from "./item.js";
import { type Context, unique } from "./look-up.js";
import { askOf } from "./rate-limit.js";
import { findKeys, readMailboxes } from "./store.js";
import { readWindows, type WindowAsk } from "./window-store.js";

const remembered = 20_000;
const rememberedSeconds = 60;
const config: ReadonlySet<string> = new Set(["RATE_LIMIT_EXCEEDED", "QUEUE_FULL"]);

/** Devices that were over a limit within the last minute. Insisting is to cost the database no writes. */
export interface RecentlyLimited {
  /** Refuses items of suspects that are over a limit by what can be read without locks; leaves all others alone. */
  refuse(items: readonly Item[], context: Context): Promise<void>;
  /** Remembers senders and queues that were over their limits. */
  note(items: readonly Item[], now: number): void;
}

/**
 * Suspicion decides nothing by itself: it only has the item judged on a reading first. What passes, goes through the
 * transaction like everything else, so a limit that was raised meanwhile holds at once.
 */
export function createRecentlyLimited({ db, isAlive }: { db: Knex; isAlive: IsAlive }): RecentlyLimited {
  const until = new LRUCache<string, number>({ max: remembered });
  const wasLimited = (item: Item, now: number) => devicesOf(item).some((id) => (until.get(id) ?? 0) > now);

  return {
    async refuse(items, context) {
      const limitedBefore = items.filter((item) => item.outcome === undefined && wasLimited(item, context.now));
      if (limitedBefore.length === 0) return;
      const keys = unique(
        limitedBefore.flatMap((item) => [item.key, item.earlierKey]).filter((key) => key !== undefined),
      );
      const [states, granted, seen] = await Promise.all([
        readMailboxes(db, unique(limitedBefore.flatMap((item) => item.recipient?.device_id ?? []))),
        readWindows(db, mostAskedOf(limitedBefore, context), context.rules),
        findKeys(db, keys),
      ]);
      const seenKeys = new Set(seen);
      const mailboxes = new Map(states.map((state) => [state.device_id, state]));
      const grants = new Map(granted.map((grant) => [grant.device_id, grant]));
      const balances = openBalancesAsRead(limitedBefore, { mailboxes, grants }, { context, isAlive });
      decide(limitedBefore, { ...balances, rules: context.rules, fresh: freshOf(limitedBefore, seenKeys) });
      for (const item of limitedBefore) {
        if (!config.has(refusalOf(item)?.error ?? "")) item.outcome = undefined;
      }
    },
    note(items, now) {
      for (const item of items) {
        const error = refusalOf(item)?.error ?? "";
        const culprit = error === "QUEUE_FULL" ? item.recipient?.device_id : senderOf(item);
        if (config.has(error) && culprit !== undefined) until.set(culprit, now + rememberedSeconds);
      }
    },
  };
}

/** What suspects would ask of their windows if each item were new, and if each were a repetition. */
function mostAskedOf(items: readonly Item[], { allowances, rules }: Context): WindowAsk[] {
  const counts = new Map<string, number>();
  for (const id of items.map(senderOf)) if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].flatMap(([id, count]) => {
    const allowance = allowances.get(id);
    return allowance === undefined ? [] : [askOf(id, allowance, { sends: count, misses: count, rules })];
  });
}

function freshOf(items: readonly Item[], seen: ReadonlySet<string>): Set<string> {
  const fresh = items.filter(({ key, earlierKey = key }) => !seen.has(key) && !seen.has(earlierKey));
  return new Set(fresh.map(({ key }) => key));
}
