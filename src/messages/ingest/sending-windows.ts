import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import type { Pipeline } from "../../platform/database/connection.js";
import type { Arrears } from "./arrears.js";
import { type Item, isUnknown, refusalOf, senderOf } from "./item.js";
import { isUnavailability } from "./retry.js";
import { RowsVanished } from "./rows-vanished.js";
import { findKeys } from "./store.js";
import {
  countInWindows,
  createWindows,
  foldSent,
  giveBackToWindows,
  type Unused,
  type WindowAsk,
  type WindowGrant,
  type WindowTime,
} from "./window-store.js";

// Messages are counted before they are stored, by a statement and a transaction of their own, as if each were new and
// accepted. What is granted then belongs to the flush:
//
//   asked --count--> granted --judge--> used by accepted messages (stays counted)
//                                  \--> unused: given back after the storing transaction, or after its failure
//
// So no limit is ever exceeded, on all nodes together, and what is refused for another reason is not counted. Only where
// a node dies between the two, what it was granted stays counted until its window ends.

/** What was granted to the senders of a flush. */
export interface Reservation {
  /** By device; what its repetitions were granted later is added. */
  readonly grants: ReadonlyMap<string, WindowGrant>;
  /** Counts further repetitions, which were only found while the messages were being stored. */
  countMisses(db: Pipeline, asks: readonly WindowAsk[]): Promise<void>;
}

export interface SendingWindows {
  /** Gives senders that have none windows. */
  ensure(deviceIds: readonly string[]): Promise<void>;
  /** Asks its statement at once. Throws RowsVanished where a sender has no windows, as after a crash of the database. */
  reserve(db: Pipeline, asks: readonly WindowAsk[], time: WindowTime): Promise<Reservation>;
  /** Gives back what items that have their outcomes did not use. Never throws: what fails is tried again later. */
  settle(reservation: Reservation | undefined, items: readonly Item[]): Promise<void>;
  /**
   * The same where storing failed: all of it is given back. Where the connection broke it may have been stored all the
   * same, so what is found stored stays counted.
   */
  abandon(reservation: Reservation | undefined, items: readonly Item[], error: unknown): Promise<void>;
}

const remembered = 100_000;

export function createSendingWindows({ db, arrears }: { db: Knex; arrears: Arrears }): SendingWindows {
  const known = new LRUCache<string, true>({ max: remembered });

  const count = async (pipeline: Pipeline, asks: readonly WindowAsk[], time: WindowTime): Promise<WindowGrant[]> => {
    if (asks.length === 0) return [];
    const granted = await countInWindows(pipeline, asks, time);
    if (granted.length === asks.length) return granted;
    const found = new Set(granted.map((grant) => grant.device_id));
    const vanished = asks.map(({ deviceId }) => deviceId).filter((id) => !found.has(id));
    for (const id of vanished) known.delete(id);
    await giveBack(unusedOf(new Map(granted.map((grant) => [grant.device_id, grant])), []));
    throw new RowsVanished(vanished);
  };
  const giveBack = async (unused: readonly Unused[]): Promise<void> => {
    if (unused.length > 0) await arrears.settle(() => giveBackToWindows(db, unused));
  };

  return {
    async ensure(deviceIds) {
      const missing = deviceIds.filter((id) => !known.has(id));
      if (missing.length === 0) return;
      await createWindows(db, missing);
      for (const id of missing) known.set(id, true);
    },
    async reserve(pipeline, asks, time) {
      const grants = new Map((await count(pipeline, asks, time)).map((grant) => [grant.device_id, grant]));
      return {
        grants,
        async countMisses(at, more) {
          for (const grant of await count(at, more, time)) addMisses(grants, grant);
        },
      };
    },
    async settle(reservation, items) {
      if (reservation !== undefined) await giveBack(unusedOf(reservation.grants, items));
    },
    async abandon(reservation, items, error) {
      if (reservation === undefined) return;
      if (!isUnavailability(error)) return giveBack(unusedOf(reservation.grants, []));
      await arrears.settle(async () => {
        const keys = [...new Set(items.filter((item) => !isUnknown(item)).map((item) => item.key))];
        const stored = new Set(keys.length === 0 ? [] : await findKeys(db, keys));
        const unused = unusedOf(reservation.grants, [], stored.size > 0 ? firstsOf(items, stored) : []);
        if (unused.length > 0) await giveBackToWindows(db, unused);
      });
    },
  };
}

const foldedAtOnce = 1_000;

/** Adds what devices sent since the last time to their totals, all of them together. */
export async function foldTotals(db: Knex): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    after = await foldSent(db, { after, limit: foldedAtOnce });
  }
}

/** A later grant has the later window; what was granted of another one cannot be given back to it. */
function addMisses(grants: Map<string, WindowGrant>, more: WindowGrant): void {
  const first = grants.get(more.device_id);
  const same = first?.misses_started_at === more.misses_started_at;
  const misses = (same ? (first?.misses_granted ?? 0) : 0) + more.misses_granted;
  grants.set(more.device_id, { ...(first ?? more), misses_started_at: more.misses_started_at, misses_granted: misses });
}

/** The first item of each of these keys. */
function firstsOf(items: readonly Item[], keys: ReadonlySet<string>): Item[] {
  const left = new Set(keys);
  return items.filter((item) => left.delete(item.key));
}

/** What of the grants neither an outcome nor `counted`, items that turned out to be stored, used. In the order of ids. */
function unusedOf(
  grants: ReadonlyMap<string, WindowGrant>,
  items: readonly Item[],
  counted: readonly Item[] = [],
): Unused[] {
  const left = new Map(
    [...grants].map(([id, grant]) => [
      id,
      {
        ...{ deviceId: id, startedAt: grant.started_at, missesStartedAt: grant.misses_started_at },
        ...{ sends: grant.granted, misses: grant.misses_granted },
      },
    ]),
  );
  for (const item of items) {
    const one = left.get(senderOf(item) ?? "");
    if (one === undefined || item.used === undefined) continue;
    // What was accepted here and then refused for its destination takes no place either.
    if (item.used === "misses" || refusalOf(item) === undefined) one[item.used] -= 1;
  }
  for (const item of counted) {
    const one = left.get(senderOf(item) ?? "");
    if (one !== undefined) one.sends -= 1;
  }
  return [...left.values()]
    .filter(({ sends, misses }) => sends > 0 || misses > 0)
    .map((one) => ({ ...one, sends: Math.max(0, one.sends), misses: Math.max(0, one.misses) }))
    .sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
}
