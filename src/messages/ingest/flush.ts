import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import { inTransaction } from "../../platform/database/connection.js";
import type { OpenPipeline, Pipelines } from "../../platform/database/pipelines.js";
import type { ServerSettings } from "../../settings/service.js";
import type { QueuedMessage } from "../types.js";
import type { IsAlive } from "./balances.js";
import { asksOf, type Deltas, laterAsksOf } from "./balances.js";
import type { EarlierKeysAt } from "./earlier-keys.js";
import type { Forward } from "./forward.js";
import { type Item, isQueued, isRemote, type SideEffectOfItems, senderOf } from "./item.js";
import { type Context, lookUp, refuseEarly, unique } from "./look-up.js";
import { createRecentlyLimited } from "./recently-limited.js";
import { RowsVanished } from "./rows-vanished.js";
import type { Reservation, SendingWindows } from "./sending-windows.js";
import { createMailboxes } from "./store.js";
import { type Storing, storeFreshItems, storeItems, type WindowsOfFlush } from "./store-messages.js";

/** Messages that were committed to one queue, for its stream. */
export interface Arrival {
  deviceId: string;
  /** The node that has the device's stream. */
  node: string;
  from: number;
  head: number;
  messages: QueuedMessage[];
}

export interface FlushDeps {
  db: Knex;
  pipelines: Pick<Pipelines, "use">;
  now(): number;
  settings(): ServerSettings;
  isAlive: IsAlive;
  missesPerSend: number;
  forward: Forward | undefined;
  windows: SendingWindows;
  earlierKeys: EarlierKeysAt;
  /** Told of messages for other servers that were accepted, after the commit. */
  countSends(items: readonly Item[], now: number): Promise<void>;
}

export type Flush = (items: readonly Item[], sideEffects: readonly SideEffectOfItems[]) => Promise<Arrival[]>;

const rememberedMailboxes = 100_000;
const rememberedAddresses = 100_000;

/**
 * Takes items through a flush: looks recipients and senders up, sorts out what is refused whatever else holds, and
 * stores the rest in one transaction, before which its senders were counted in another. Every item has its outcome then; returned is what arrived where a stream is open.
 * Throws what the database throws; nothing is stored then, unless the connection broke during the commit.
 *
 * What callers enclosed is committed with their items on the short way; on the long one it is left to them.
 *
 * Messages for devices of this server that nobody sent before, which is nearly all, go the short way: three trips to the
 * database. A flush that holds a repetition, or messages for other servers, goes the long one.
 */
export function createFlush(deps: FlushDeps): Flush {
  const { db, pipelines, isAlive, forward, windows } = deps;
  const known = new LRUCache<string, true>({ max: rememberedMailboxes });
  const guesses = new LRUCache<string, string>({ max: rememberedAddresses });
  const recentlyLimited = createRecentlyLimited(deps);

  const ensureMailboxes = async (items: readonly Item[]): Promise<void> => {
    const recipients = items.map((item) => item.recipient?.device_id).filter((id) => id !== undefined);
    const missing = unique(recipients).filter((id) => !known.has(id));
    if (missing.length === 0) return;
    await createMailboxes(db, missing.sort());
    for (const id of missing) known.set(id, true);
  };
  const forgetVanished = (error: unknown): never => {
    if (error instanceof RowsVanished) for (const id of error.deviceIds) known.delete(id);
    throw error;
  };
  const prepare = async (pipeline: OpenPipeline, items: readonly Item[]): Promise<Context> => {
    const [now, settings] = [deps.now(), deps.settings()];
    const rules = { now, windowSeconds: settings.rate_limiting.window_seconds, missesPerSend: deps.missesPerSend };
    const context = await lookUp(pipeline, items, {
      frame: { now, settings, rules, earlierKeys: deps.earlierKeys(now) },
      guesses,
    });
    refuseEarly(items, context, { federates: forward !== undefined && settings.federation.enabled });
    await recentlyLimited.refuse(items, context);
    const open = items.filter(isOpen);
    const senders = unique(open.map(senderOf).filter((id) => id !== undefined));
    await Promise.all([ensureMailboxes(open), windows.ensure(senders.sort())]);
    return context;
  };

  /** The part of a flush behind its look-ups. What it reserved is kept exact, whatever becomes of it. */
  const storeCounted = async (
    pipeline: OpenPipeline,
    open: readonly Item[],
    { context, sideEffects }: { context: Context; sideEffects: readonly SideEffectOfItems[] },
  ): Promise<Deltas> => {
    const counting = countSendersOf(open, { context, windows, pipeline });
    const storing: Storing = { context, isAlive, windows: counting };
    try {
      const stored = await takeShortWay(pipeline, open, { ...storing, sideEffects });
      const deltas = stored ?? (await inTransaction(db, (trx) => storeItems(trx, open, { ...storing, forward })));
      await windows.settle(counting.reserved, open);
      return deltas;
    } catch (error) {
      await windows.abandon(counting.reserved, open, error);
      throw error;
    }
  };

  return async (items, sideEffects) => {
    const { context, open, deltas } = await pipelines.use(async (pipeline) => {
      const context = await prepare(pipeline, items);
      const open = items.filter(isOpen);
      const storing = open.length === 0 ? undefined : storeCounted(pipeline, open, { context, sideEffects });
      return { context, open, deltas: await storing?.catch(forgetVanished) };
    });
    if (deltas === undefined) return [];
    await deps.countSends(open, context.now);
    recentlyLimited.note(open, context.now);
    return arrivalsOf(deltas);
  };
}

/** Undefined where the items are to go the long way; their senders are counted then. */
async function takeShortWay(
  pipeline: OpenPipeline,
  open: readonly Item[],
  deps: Storing & { sideEffects: readonly SideEffectOfItems[] },
): Promise<Deltas | undefined> {
  if (!open.some(isRemote)) return storeFreshItems(pipeline, open, deps);
  await deps.windows.reserve(pipeline);
  return undefined;
}

/** The senders' windows as one flush uses them; `reserved` is what they have granted so far. */
function countSendersOf(
  open: readonly Item[],
  { context, windows, pipeline }: { context: Context; windows: SendingWindows; pipeline: OpenPipeline },
): WindowsOfFlush & { reserved: Reservation | undefined } {
  return {
    reserved: undefined,
    async reserve(at) {
      this.reserved = await windows.reserve(at, asksOf(open, context), context.rules);
      return this.reserved;
    },
    reservation() {
      if (this.reserved === undefined) throw new Error("the senders were not counted");
      return this.reserved;
    },
    async countRepetitions(fresh) {
      const asks = laterAsksOf(open, { ...context, fresh });
      if (asks.length > 0) await this.reserved?.countMisses(pipeline, asks);
    },
  };
}

function isOpen({ outcome }: Item): boolean {
  return outcome === undefined;
}

function arrivalsOf(deltas: Deltas): Arrival[] {
  const arrivals = new Map<string, Arrival>();
  for (const { deviceId, arrivals: asked } of deltas.additions) {
    const state = deltas.states.get(deviceId);
    if (asked === 0 || !state?.stream_node) continue;
    const head = state.last_position;
    arrivals.set(deviceId, { deviceId, node: state.stream_node, from: head - asked, head, messages: [] });
  }
  for (const item of deltas.counted.filter(isQueued)) {
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
