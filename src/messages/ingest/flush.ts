import type { Database } from "../../database/db.js";
import type { OpenPipeline, Pipelines } from "../../database/pipelines.js";
import type { Placement } from "../../database/placement.js";
import { createLruCache } from "../../platform/lru-cache.js";
import { passStep } from "../../platform/message-steps.js";
import type { ServerSettings } from "../../settings/service.js";
import { RowsVanished } from "../model/retry.js";
import type { Arrival, Forward, QueuedMessage } from "../model/types.js";
import { createQueues } from "../queue/counters-store.js";
import type { Deduplication } from "./deduplication/deduplication.js";
import { createRecentlyLimited, refuseImpossible } from "./early-refusal.js";
import type { Deltas, IsAlive } from "./limits/queue-limit.js";
import type { Reservation, SendingWindows } from "./limits/sending-windows.js";
import { type Context, confirmRecalled, lookUp, type Remembered, recall } from "./look-up.js";
import { type Item, idOf, isOpen, isQueued, isRemote, type SideEffectOfItems, senderOf, unique } from "./model/item.js";
import { type FastPathDeps, Outdated, type StoreDeps, storeFreshItems, storeItems } from "./store-messages.js";
import { refuseUnreachableKeys } from "./unreachable.js";

interface FlushDeps {
  db: Database;
  pipelines: Pick<Pipelines, "use">;
  /** For flushes with side effects of callers, and with messages for other servers. */
  onCoordinator: Pick<Pipelines, "use">;
  now(): number;
  settings(): ServerSettings;
  isAlive: IsAlive;
  placement: Pick<Placement, "canBePartlyDown" | "isDown" | "someAreDown">;
  missesPerSend: number;
  forward: Forward | undefined;
  windows: SendingWindows;
  keyRulesAt: Deduplication["rulesAt"];
  /** Called after the commit with the items; counts accepted messages for other servers. */
  countSends(db: OpenPipeline, items: readonly Item[], now: number): Promise<void>;
  /** Called after the commit with the recipients that have no open stream. */
  waiting: ((deviceIds: readonly string[]) => void) | undefined;
}

export type Flush = (items: readonly Item[], sideEffects: readonly SideEffectOfItems[]) => Promise<Arrival[]>;

const rememberedQueues = 100_000;
const rememberedAddresses = 100_000;
const rememberedProfiles = 20_000;

/**
 * Makes the function that takes a batch of items through ingest:
 *
 *   look up recipients and senders -> refuse early -> reserve in the senders' windows -> store in one transaction
 *
 * Afterwards every item has its outcome; the result is the messages that arrived for open streams. Throws the errors of
 * the database; then nothing is stored, unless the connection broke during the commit.
 *
 * Messages that nobody sent before, which is nearly all of them, take the fast path of three round trips, or two if the
 * recipients and senders have been looked up before: then the look-ups are sent together with the statements that rely
 * on them, and if they find something different, nothing is stored and the flush starts again. Messages for other
 * servers take one more round trip. A flush that holds a repetition takes the slow path. Only the fast path commits the
 * side effects of callers; on the slow path they are left to the callers.
 */
export function createFlush(deps: FlushDeps): Flush {
  const { pipelines, forward, placement } = deps;
  const remembered: Remembered = {
    holders: createLruCache(rememberedAddresses),
    profiles: createLruCache(rememberedProfiles),
  };
  const recentlyLimited = createRecentlyLimited(deps);
  const knownQueues = createKnownQueues(deps);
  const storeReserved = createReservedStore({ ...deps, knownQueues });

  const knownNow = async (): Promise<Omit<Context, "allowances">> => {
    const [now, settings] = [deps.now(), deps.settings()];
    const rules = { now, windowSeconds: settings.rate_limiting.window_seconds, missesPerSend: deps.missesPerSend };
    const keyRules = await deps.keyRulesAt(now, settings.server.max_retention_days);
    return { now, settings, rules, keyRules };
  };
  const refuseEarly = (items: readonly Item[], context: Context): void =>
    refuseImpossible(items, context, { federates: forward !== undefined && context.settings.federation.enabled });

  const flushLookedUp: StoreFlush = async (pipeline, items, sideEffects) => {
    const known = await knownNow();
    const context = await lookUp(pipeline, items, { known, remembered, placement });
    refuseUnreachableKeys(items, placement);
    refuseEarly(items, context);
    await recentlyLimited.refuse(items, context);
    const open = items.filter(isOpen);
    const storing = { context, sideEffects, confirm: undefined };
    return { context, open, deltas: open.length === 0 ? undefined : await storeReserved(pipeline, open, storing) };
  };
  /**
   * Undefined if not everything is remembered, if an item is or may be refused, if the memory was outdated, or if the
   * look-ups must show which machines are needed.
   */
  const flushRecalled = async (
    pipeline: OpenPipeline,
    items: readonly Item[],
    sideEffects: readonly SideEffectOfItems[],
  ): Promise<StoredFlush | undefined> => {
    if (placement.canBePartlyDown) return undefined;
    const known = await knownNow();
    const recalled = recall(items, { known, remembered });
    if (recalled === undefined) return undefined;
    const { context } = recalled;
    refuseEarly(items, context);
    if (!items.every(isOpen) || recentlyLimited.concerns(items, context.now)) return undefined;
    const confirm = (): Promise<boolean> => confirmRecalled(pipeline, recalled, remembered);
    try {
      return { context, open: items, deltas: await storeReserved(pipeline, items, { context, sideEffects, confirm }) };
    } catch (error) {
      if (error instanceof Outdated) return undefined;
      throw error;
    }
  };

  return async (items, sideEffects) => {
    const connections = sideEffects.length > 0 || items.some(isRemote) ? deps.onCoordinator : pipelines;
    const { context, open, deltas } = await connections.use(async (pipeline) => {
      passStep("connected", items, idOf);
      const flushed = async () =>
        (await flushRecalled(pipeline, items, sideEffects)) ?? (await flushLookedUp(pipeline, items, sideEffects));
      const stored = await flushed().catch(knownQueues.forgetVanished);
      if (stored.deltas !== undefined) await deps.countSends(pipeline, stored.open, stored.context.now);
      return stored;
    });
    if (deltas === undefined) return [];
    recentlyLimited.note(open, context.now);
    deps.waiting?.(withoutStream(deltas, deps.isAlive));
    return arrivalsOf(deltas, open);
  };
}

interface KnownQueues {
  /** Creates the queues of recipients that have none. */
  ensure(items: readonly Item[]): Promise<void>;
  /** Forgets queues that an error reports as gone, and rethrows the error. */
  forgetVanished(error: unknown): never;
}

function createKnownQueues({ db }: Pick<FlushDeps, "db">): KnownQueues {
  const known = createLruCache<string, true>(rememberedQueues);
  return {
    async ensure(items) {
      const recipients = items.map((item) => item.recipient?.device_id).filter((id) => id !== undefined);
      const missing = unique(recipients).filter((id) => !known.has(id));
      if (missing.length === 0) return;
      await createQueues(db, missing.sort());
      for (const id of missing) known.set(id, true);
    },
    forgetVanished(error) {
      if (error instanceof RowsVanished) for (const id of error.deviceIds) known.delete(id);
      throw error;
    },
  };
}

/**
 * The part of a flush after its look-ups, for items that were not refused early. Whether it succeeds or fails, its
 * reservation stays exact.
 */
function createReservedStore({ db, isAlive, forward, windows, knownQueues }: FlushDeps & { knownQueues: KnownQueues }) {
  return async (
    pipeline: OpenPipeline,
    open: readonly Item[],
    { context, ...given }: Pick<FastPathDeps, "context" | "sideEffects" | "confirm">,
  ): Promise<Deltas> => {
    const senders = unique(open.map(senderOf).filter((id) => id !== undefined));
    await Promise.all([knownQueues.ensure(open), windows.ensure(senders.sort())]);
    const reservation: Reservation = windows.open(open, context, pipeline);
    const storing: StoreDeps = { context, isAlive, reservation, forward };
    try {
      const stored = await storeFreshItems(pipeline, open, { ...storing, ...given });
      const deltas = stored ?? (await db.transaction((trx) => storeItems(trx, open, storing)));
      await reservation.settle();
      return deltas;
    } catch (error) {
      await reservation.abandon(error);
      throw error;
    }
  };
}

interface StoredFlush {
  context: Context;
  /** The items that were not refused early. */
  open: readonly Item[];
  deltas: Deltas | undefined;
}

type StoreFlush = (
  pipeline: OpenPipeline,
  items: readonly Item[],
  sideEffects: readonly SideEffectOfItems[],
) => Promise<StoredFlush>;

/** The devices whose queues have grown and that have no stream on a node that is alive. */
function withoutStream({ additions, states }: Deltas, isAlive: IsAlive): string[] {
  const sleeping: string[] = [];
  for (const { deviceId, messages: added } of additions) {
    const node = states.get(deviceId)?.stream_node ?? null;
    if (added > 0 && (node === null || !isAlive(node))) sleeping.push(deviceId);
  }
  return sleeping;
}

function arrivalsOf(deltas: Deltas, items: readonly Item[]): Arrival[] {
  const arrivals = new Map<string, Arrival>();
  for (const { deviceId, messages: added } of deltas.additions) {
    const state = deltas.states.get(deviceId);
    if (added === 0 || !state?.stream_node) continue;
    const head = state.last_position;
    arrivals.set(deviceId, { deviceId, node: state.stream_node, from: head - added, head, messages: [] });
  }
  for (const item of items.filter(isQueued)) {
    const deviceId = item.recipient?.device_id ?? "";
    const receivedAt = deltas.states.get(deviceId)?.last_received_at ?? 0;
    arrivals.get(deviceId)?.messages.push(queuedMessage(item, receivedAt));
  }
  return [...arrivals.values()];
}

function queuedMessage({ envelope, position, acceptedAtMillis }: Item, receivedAt: number): QueuedMessage {
  const { messageId, ciphertext, senderSignature, timestamp, systemEvent } = envelope;
  return { position, messageId, ciphertext, senderSignature, timestamp, receivedAt, systemEvent, acceptedAtMillis };
}
