import type { Database, Pipeline } from "../../../database/db.js";
import { createLruCache } from "../../../platform/lru-cache.js";
import { isUnavailability, RowsVanished } from "../../model/retry.js";
import { byDevice } from "../../queue/lock-order.js";
import { findDuplicates } from "../deduplication/duplicate.js";
import type { RetryLater } from "../model/retry-later.js";
import { type Decided, firstsOf, keysOf, type LookedUp, refusalOf, sendersOf } from "../model/stages.js";
import {
  type Allowance,
  missLimitOf,
  type SenderContext,
  type WindowRules,
  type WindowTime,
} from "./messages-per-hour.js";
import { type Counts, createCosts } from "./sending-costs.js";
import {
  addSentToTotals,
  countInWindows,
  createWindows,
  giveBackToWindows,
  type Unused,
  type WindowGrant,
  type WindowRequest,
} from "./sending-windows-store.js";

// The number of messages that a sender may still send. A device has two fixed windows: one counts its messages, the
// other its misses, which are repetitions, messages to unknown recipients, and all-or-nothing messages refused for full
// queues.
//
// Messages are counted before they are stored, in a separate transaction, as if each were new and accepted. The granted
// part then belongs to the flush:
//
//   requested --reserve--> granted --decide--> used by accepted messages (stays counted)
//                                         \--> unused: given back after the storing transaction, or after its failure
//
// So no limit is ever exceeded, on all nodes together, and a message that is refused for another reason is not counted.
// If a node dies in between, its grant stays counted until the window ends.

/** What was granted to the senders of a flush, by device. */
export type Grants = ReadonlyMap<string, WindowGrant>;

/** The reservation of one flush in the windows of its senders. */
export interface Reservation {
  /**
   * Reserves for the flush's messages as if all were new; sends its statement at once. Throws RowsVanished if a sender
   * has no windows, for instance after a crash of the database.
   */
  reserve(pipeline: Pipeline): Promise<Grants>;
  /** What has been granted; throws if nothing has been reserved. */
  grants(): Grants;
  /** Counts repetitions that were only found while storing, over a connection outside the storing transaction. */
  reserveRepetitions(fresh: ReadonlySet<string>): Promise<void>;
  /** Gives back the part that the messages did not use. Never throws: failures are retried. */
  settle(decided: readonly Decided[]): Promise<void>;
  /**
   * The same after storing failed: everything is given back. If the connection broke, the messages may still have been
   * stored; those found stored stay counted.
   */
  abandon(error: unknown): Promise<void>;
}

export interface SendingWindows {
  /**
   * The reservation of a flush, still empty. Creates windows for senders that have none. Repetitions are counted over
   * `pipeline`.
   */
  open(messages: readonly LookedUp[], senders: SenderContext, pipeline: Pipeline): Promise<Reservation>;
}

const remembered = 100_000;

export function createSendingWindows({ db, retryLater }: { db: Database; retryLater: RetryLater }): SendingWindows {
  const known = createLruCache<string, true>(remembered);

  const count = async (pipeline: Pipeline, requests: readonly WindowRequest[], time: WindowTime) => {
    if (requests.length === 0) return [];
    const granted = await countInWindows(pipeline, requests, time);
    if (granted.length === requests.length) return granted;
    const found = new Map(granted.map((grant) => [grant.device_id, grant]));
    const vanished = requests.map(({ deviceId }) => deviceId).filter((id) => !found.has(id));
    for (const id of vanished) known.delete(id);
    await giveBack(unusedOf(found, nothingUsed));
    throw new RowsVanished(vanished);
  };
  const giveBack = async (unused: readonly Unused[]): Promise<void> => {
    if (unused.length > 0) await retryLater.run(() => giveBackToWindows(db, unused));
  };
  const giveBackUnstored = async (
    grants: Grants,
    messages: readonly LookedUp[],
    senders: SenderContext,
  ): Promise<void> => {
    const stored = await findDuplicates(db, keysOf(messages), senders.keyRules);
    const used = createCosts(senders);
    for (const message of firstsOf(messages, stored)) used.add(message, "sends");
    const unused = unusedOf(grants, used.bySender);
    if (unused.length > 0) await giveBackToWindows(db, unused);
  };

  const ensure = async (deviceIds: readonly string[]): Promise<void> => {
    const missing = deviceIds.filter((id) => !known.has(id));
    if (missing.length === 0) return;
    await createWindows(db, missing.sort());
    for (const id of missing) known.set(id, true);
  };

  return {
    async open(messages, senders, pipeline) {
      await ensure(sendersOf(messages));
      let grants: Map<string, WindowGrant> | undefined;
      return {
        async reserve(at) {
          const granted = await count(at, requestsFor(messages, senders), senders.rules);
          grants = new Map(granted.map((grant) => [grant.device_id, grant]));
          return grants;
        },
        grants() {
          if (grants === undefined) throw new Error("the flush has reserved nothing");
          return grants;
        },
        async reserveRepetitions(fresh) {
          const requests = requestsForRepetitions(messages, fresh, senders);
          if (requests.length === 0 || grants === undefined) return;
          for (const grant of await count(pipeline, requests, senders.rules)) addMisses(grants, grant);
        },
        async settle(decided) {
          if (grants !== undefined) await giveBack(unusedOf(grants, usedBy(decided, senders)));
        },
        async abandon(error) {
          const reserved = grants;
          if (reserved === undefined) return;
          if (!isUnavailability(error)) return giveBack(unusedOf(reserved, nothingUsed));
          await retryLater.run(() => giveBackUnstored(reserved, messages, senders));
        },
      };
    },
  };
}

/** A later grant belongs to the later window; it cannot take back a part granted in an earlier window. */
function addMisses(grants: Map<string, WindowGrant>, more: WindowGrant): void {
  const first = grants.get(more.device_id);
  const same = first?.misses_started_at === more.misses_started_at;
  const misses = (same ? (first?.misses_granted ?? 0) : 0) + more.misses_granted;
  const { misses_started_at, misses_count } = more;
  grants.set(more.device_id, { ...(first ?? more), misses_started_at, misses_count, misses_granted: misses });
}

const nothingUsed: ReadonlyMap<string, Counts> = new Map();

/** What decided messages cost their senders. */
function usedBy(decided: readonly Decided[], senders: SenderContext): ReadonlyMap<string, Counts> {
  const used = createCosts(senders);
  for (const one of decided) {
    // A message that was accepted here but then refused for its destination does not count.
    const counts = one.used === "misses" || (one.used === "sends" && refusalOf(one) === undefined);
    if (counts && one.used !== undefined) used.add(one.message, one.used);
  }
  return used.bySender;
}

/** The unused part of the grants, ordered by id. */
function unusedOf(grants: Grants, used: ReadonlyMap<string, Counts>): Unused[] {
  const unused: Unused[] = [];
  for (const [deviceId, grant] of grants) {
    const { sends, misses } = used.get(deviceId) ?? { sends: 0, misses: 0 };
    const left = { sends: Math.max(0, grant.granted - sends), misses: Math.max(0, grant.misses_granted - misses) };
    if (left.sends === 0 && left.misses === 0) continue;
    unused.push({ deviceId, startedAt: grant.started_at, missesStartedAt: grant.misses_started_at, ...left });
  }
  return unused.sort(byDevice);
}

// What a flush requests from the windows of its senders. Requests are ordered by id.

/**
 * Requests for the senders of messages, as if every message that is not repeated within the flush were new. An
 * all-or-nothing message may be refused as a whole, which costs misses.
 */
function requestsFor(messages: readonly LookedUp[], senders: SenderContext): WindowRequest[] {
  const fresh = new Set(firstsOf(messages, new Set(messages.map(({ key }) => key))));
  const costs = createCosts(senders);
  for (const message of messages) {
    if (fresh.has(message)) costs.add(message, "sends");
    if (!fresh.has(message) || message.toMany?.allOrNothing) costs.add(message, "misses");
  }
  return requestsOf(costs.bySender, senders);
}

/** Requests for messages that were assumed new but turned out to be repetitions. */
function requestsForRepetitions(
  messages: readonly LookedUp[],
  fresh: ReadonlySet<string>,
  senders: SenderContext,
): WindowRequest[] {
  const costs = createCosts(senders);
  for (const message of firstsOf(messages, new Set(messages.map(({ key }) => key)))) {
    if (!fresh.has(message.key) && !message.toMany?.allOrNothing) costs.add(message, "misses");
  }
  return requestsOf(costs.bySender, senders);
}

/** The largest requests of messages: as if each were new, and as if each were a repetition. */
export function largestRequestsFor(messages: readonly LookedUp[], senders: SenderContext): WindowRequest[] {
  const costs = createCosts(senders);
  for (const message of messages) {
    costs.add(message, "sends");
    costs.add(message, "misses");
  }
  return requestsOf(costs.bySender, senders);
}

function requestsOf(counts: ReadonlyMap<string, Counts>, { allowances, rules }: SenderContext): WindowRequest[] {
  const requests: WindowRequest[] = [];
  for (const [id, count] of counts) {
    const allowance = allowances.get(id);
    const request = allowance === undefined ? undefined : requestOf(id, allowance, { ...count, rules });
    if (request !== undefined && request.sends + request.misses > 0) requests.push(request);
  }
  return requests.sort(byDevice);
}

/** Higher than the count of any window. */
const unlimited = 2 ** 52;

/** If messages have no limit, misses have none either and are not counted. */
export function requestOf(
  deviceId: string,
  { limit, windowLimit, maxCarried }: Allowance,
  { sends, misses, rules }: Counts & { rules: WindowRules },
): WindowRequest {
  return {
    deviceId,
    sends,
    misses: limit === null ? 0 : misses,
    sendLimit: limit ?? unlimited,
    missLimit: missLimitOf(limit, rules),
    windowLimit,
    maxCarried,
  };
}

const maxDevicesAtOnce = 1_000;

/** Adds the messages that devices sent since the last time to their totals, for all devices together. */
export async function updateSentTotals(db: Database): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    after = await addSentToTotals(db, { after, limit: maxDevicesAtOnce });
  }
}
