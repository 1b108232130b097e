import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import { inTransaction } from "../platform/database/connection.js";
import type { OpenPipeline, Pipelines } from "../platform/database/pipelines.js";
import type { ServerSettings } from "../settings/service.js";
import type { IsAlive } from "./accounts.js";
import type { QueuedMessage } from "./envelope.js";
import type { Forward } from "./forwarding.js";
import { createMailboxes } from "./intake-store.js";
import { devicesOf, type Enclosure, type Item, isQueued, isRemote } from "./item.js";
import { type Context, lookUp, refuseEarly, unique } from "./lookup.js";
import { MailboxesVanished, storeFreshItems, storeItems } from "./storing.js";
import { createSuspects } from "./suspects.js";
import type { Tally } from "./tally.js";

/** Messages that were committed to one queue, for its stream. */
export interface Arrival {
  deviceId: string;
  /** The node that has the device's stream. */
  node: string;
  from: number;
  head: number;
  messages: QueuedMessage[];
}

export interface FlushNeeds {
  db: Knex;
  pipelines: Pick<Pipelines, "use">;
  now(): number;
  settings(): ServerSettings;
  isAlive: IsAlive;
  missesPerSend: number;
  forward: Forward | undefined;
}

export type Flush = (items: readonly Item[], enclosures: readonly Enclosure[]) => Promise<Arrival[]>;

const rememberedMailboxes = 100_000;
const rememberedAddresses = 100_000;

/**
 * Takes items through a flush: looks recipients and senders up, sorts out what is refused whatever else holds, and
 * stores the rest in one transaction. Every item has its outcome then; returned is what arrived where a stream is open.
 * Throws what the database throws; nothing is stored then, unless the connection broke during the commit.
 *
 * What callers enclosed is committed with their items on the short way; on the long one it is left to them.
 *
 * Messages for devices of this server that nobody sent before, which is nearly all, go the short way: three trips to the
 * database. A flush that holds a repetition, or messages for other servers, goes the long one.
 */
export function createFlush(needs: FlushNeeds): Flush {
  const { db, isAlive, forward } = needs;
  const known = new LRUCache<string, true>({ max: rememberedMailboxes });
  const guesses = new LRUCache<string, string>({ max: rememberedAddresses });
  const suspects = createSuspects(needs);

  const ensureMailboxes = async (items: readonly Item[]): Promise<void> => {
    const missing = unique(items.flatMap(devicesOf)).filter((id) => !known.has(id));
    if (missing.length === 0) return;
    await createMailboxes(db, missing.sort());
    for (const id of missing) known.set(id, true);
  };
  const forgetVanished = (error: unknown): never => {
    if (error instanceof MailboxesVanished) for (const id of error.deviceIds) known.delete(id);
    throw error;
  };
  const prepare = async (pipeline: OpenPipeline, items: readonly Item[]): Promise<Context> => {
    const [now, settings] = [needs.now(), needs.settings()];
    const rules = { now, windowSeconds: settings.rate_limiting.window_seconds, missesPerSend: needs.missesPerSend };
    const context = await lookUp(pipeline, items, { frame: { now, settings, rules }, guesses });
    refuseEarly(items, context, { federates: forward !== undefined && settings.federation.enabled });
    await suspects.refuse(items, context);
    await ensureMailboxes(items.filter(isOpen));
    return context;
  };

  return async (items, enclosures) => {
    const { context, open, stored } = await needs.pipelines.use(async (pipeline) => {
      const context = await prepare(pipeline, items);
      const open = items.filter(isOpen);
      const isShort = open.length > 0 && !open.some(isRemote);
      const storing = isShort ? storeFreshItems(pipeline, open, { context, isAlive, enclosures }) : undefined;
      return { context, open, stored: await storing?.catch(forgetVanished) };
    });
    if (open.length === 0) return [];
    const storeAnyhow = () => inTransaction(db, (trx) => storeItems(trx, open, { context, isAlive, forward }));
    const tally = stored ?? (await storeAnyhow().catch(forgetVanished));
    suspects.note(open, context.now);
    return arrivalsOf(tally);
  };
}

function isOpen({ outcome }: Item): boolean {
  return outcome === undefined;
}

function arrivalsOf(tally: Tally): Arrival[] {
  const arrivals = new Map<string, Arrival>();
  for (const { deviceId, arrivals: asked } of tally.additions) {
    const state = tally.states.get(deviceId);
    if (asked === 0 || !state?.stream_node) continue;
    const head = state.last_position;
    arrivals.set(deviceId, { deviceId, node: state.stream_node, from: head - asked, head, messages: [] });
  }
  for (const item of tally.counted.filter(isQueued)) {
    const deviceId = item.recipient?.device_id ?? "";
    const receivedAt = tally.states.get(deviceId)?.last_received_at ?? 0;
    arrivals.get(deviceId)?.messages.push(queuedMessage(item, receivedAt));
  }
  return [...arrivals.values()];
}

function queuedMessage({ envelope, position, acceptedAtMillis }: Item, receivedAt: number): QueuedMessage {
  const { messageId, ciphertext, senderSignature, timestamp, systemEvent } = envelope;
  return { position, messageId, ciphertext, senderSignature, timestamp, receivedAt, systemEvent, acceptedAtMillis };
}
