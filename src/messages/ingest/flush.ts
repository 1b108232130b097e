import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import { inTransaction } from "../../platform/database/connection.js";
import type { OpenPipeline, Pipelines } from "../../platform/database/pipelines.js";
import type { ServerSettings } from "../../settings/service.js";
import { createQueues } from "../queue/counters-store.js";
import { RowsVanished } from "../retry.js";
import type { Arrival, Forward, QueuedMessage } from "../types.js";
import type { Deduplication } from "./deduplication.js";
import { createRecentlyLimited, refuseImpossible } from "./early-refusal.js";
import { type Item, isOpen, isQueued, isRemote, type SideEffectOfItems, senderOf, unique } from "./item.js";
import { type Context, lookUp } from "./look-up.js";
import type { Deltas, IsAlive } from "./queue-limits.js";
import type { Reservation, SenderWindows } from "./rate-limit.js";
import { type StoreDeps, storeFreshItems, storeItems } from "./store-messages.js";

export interface FlushDeps {
  db: Knex;
  pipelines: Pick<Pipelines, "use">;
  now(): number;
  settings(): ServerSettings;
  isAlive: IsAlive;
  missesPerSend: number;
  forward: Forward | undefined;
  windows: SenderWindows;
  keyRulesAt: Deduplication["rulesAt"];
  /** Called after the commit with the items; counts accepted messages for other servers. */
  countSends(items: readonly Item[], now: number): Promise<void>;
}

export type Flush = (items: readonly Item[], sideEffects: readonly SideEffectOfItems[]) => Promise<Arrival[]>;

const rememberedQueues = 100_000;
const rememberedAddresses = 100_000;

/**
 * Makes the function that takes a batch of items through ingest:
 *
 *   look up recipients and senders -> refuse early -> reserve in the senders' windows -> store in one transaction
 *
 * Afterwards every item has its outcome; the result is what arrived where a stream is open. Throws the errors of the
 * database; then nothing is stored, unless the connection broke during the commit.
 *
 * Messages to devices of this server that nobody sent before, which is nearly all of them, take the fast path of three
 * round trips. A flush that holds a repetition, or messages for other servers, takes the slow path. Only the fast path
 * commits the side effects of callers; on the slow one they are left to the callers.
 */
export function createFlush(deps: FlushDeps): Flush {
  const { db, pipelines, isAlive, forward, windows } = deps;
  const knownQueues = new LRUCache<string, true>({ max: rememberedQueues });
  const guesses = new LRUCache<string, string>({ max: rememberedAddresses });
  const recentlyLimited = createRecentlyLimited(deps);

  const ensureQueues = async (items: readonly Item[]): Promise<void> => {
    const recipients = items.map((item) => item.recipient?.device_id).filter((id) => id !== undefined);
    const missing = unique(recipients).filter((id) => !knownQueues.has(id));
    if (missing.length === 0) return;
    await createQueues(db, missing.sort());
    for (const id of missing) knownQueues.set(id, true);
  };
  const forgetVanished = (error: unknown): never => {
    if (error instanceof RowsVanished) for (const id of error.deviceIds) knownQueues.delete(id);
    throw error;
  };
  const prepare = async (pipeline: OpenPipeline, items: readonly Item[]): Promise<Context> => {
    const [now, settings] = [deps.now(), deps.settings()];
    const rules = { now, windowSeconds: settings.rate_limiting.window_seconds, missesPerSend: deps.missesPerSend };
    const keyRules = await deps.keyRulesAt(now, settings.server.max_retention_days);
    const known = { now, settings, rules, keyRules };
    const context = await lookUp(pipeline, items, { known, guesses });
    refuseImpossible(items, context, { federates: forward !== undefined && settings.federation.enabled });
    await recentlyLimited.refuse(items, context);
    const open = items.filter(isOpen);
    const senders = unique(open.map(senderOf).filter((id) => id !== undefined));
    await Promise.all([ensureQueues(open), windows.ensure(senders.sort())]);
    return context;
  };

  /** The part of a flush behind its look-ups. Whether it succeeds or fails, its reservation is kept exact. */
  const storeReserved = async (
    pipeline: OpenPipeline,
    open: readonly Item[],
    { context, sideEffects }: { context: Context; sideEffects: readonly SideEffectOfItems[] },
  ): Promise<Deltas> => {
    const reservation: Reservation = windows.open(open, context, pipeline);
    const storing: StoreDeps = { context, isAlive, reservation };
    try {
      const stored = await tryFastPath(pipeline, open, { ...storing, sideEffects });
      const deltas = stored ?? (await inTransaction(db, (trx) => storeItems(trx, open, { ...storing, forward })));
      await reservation.settle();
      return deltas;
    } catch (error) {
      await reservation.abandon(error);
      throw error;
    }
  };

  return async (items, sideEffects) => {
    const { context, open, deltas } = await pipelines.use(async (pipeline) => {
      const context = await prepare(pipeline, items);
      const open = items.filter(isOpen);
      const storing = open.length === 0 ? undefined : storeReserved(pipeline, open, { context, sideEffects });
      return { context, open, deltas: await storing?.catch(forgetVanished) };
    });
    if (deltas === undefined) return [];
    await deps.countSends(open, context.now);
    recentlyLimited.note(open, context.now);
    return arrivalsOf(deltas);
  };
}

/** Undefined where the items must take the slow path; the senders' windows are reserved by then. */
async function tryFastPath(
  pipeline: OpenPipeline,
  open: readonly Item[],
  deps: StoreDeps & { sideEffects: readonly SideEffectOfItems[] },
): Promise<Deltas | undefined> {
  if (!open.some(isRemote)) return storeFreshItems(pipeline, open, deps);
  await deps.reservation.reserve(pipeline);
  return undefined;
}

function arrivalsOf(deltas: Deltas): Arrival[] {
  const arrivals = new Map<string, Arrival>();
  for (const { deviceId, messages: added } of deltas.additions) {
    const state = deltas.states.get(deviceId);
    if (added === 0 || !state?.stream_node) continue;
    const head = state.last_position;
    arrivals.set(deviceId, { deviceId, node: state.stream_node, from: head - added, head, messages: [] });
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
