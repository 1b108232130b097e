import type { Db, Pipeline } from "../../platform/database/connection.js";
import { type OpenPipeline, together } from "../../platform/database/pipelines.js";
import { daySeconds } from "../../protocol/units.js";
import type { Outcome } from "../types.js";
import { type Deltas, deltasOf, type IsAlive, openBalances } from "./balances.js";
import { decide } from "./decide.js";
import { countReceived } from "./federation-counts.js";
import { type Forward, forwardRemote } from "./forward.js";
import { type Item, isQueued, isUnknown, refusalOf, type SideEffectOfItems } from "./item.js";
import { type Context, unique } from "./look-up.js";
import { RowsVanished } from "./rows-vanished.js";
import type { Reservation } from "./sending-windows.js";
import {
  addToMailboxes,
  copyMessages,
  countNewKeys,
  deleteKeys,
  findKeys,
  insertKeys,
  insertMessages,
  keepArrayOrder,
  type NewMessage,
  refundMailboxes,
} from "./store.js";

/** What storing needs beside the items. */
export interface Storing {
  context: Context;
  isAlive: IsAlive;
  /** Tells of the reservation as soon as there is one: it is to be given back where storing fails. */
  windows: WindowsOfFlush;
}

/** The senders' windows, as one flush uses them. */
export interface WindowsOfFlush {
  reserve(pipeline: Pipeline): Promise<Reservation>;
  /** What was reserved; throws where nothing has been. */
  reservation(): Reservation;
  /** Counts repetitions that were found while storing, over a connection of its own. */
  countRepetitions(fresh: ReadonlySet<string>): Promise<void>;
}

/**
 * The part of a flush that runs in one transaction; gives every item its outcome. Its senders were counted before. Keys
 * of new messages come first, so that a repetition which another node is storing right now is waited for. Then queues are
 * added to as if every new message were accepted, which locks their rows; each item is judged on what came back; what was
 * too much is taken back; the rest is stored.
 *
 * The queue's row stays locked until the commit, so no position of a queue can be seen before an earlier one.
 */
export async function storeItems(
  trx: Db,
  items: readonly Item[],
  deps: Storing & { forward: Forward | undefined },
): Promise<Deltas> {
  const { context, windows, isAlive } = deps;
  await keepArrayOrder(trx);
  const fresh = await takeKeys(trx, items, context);
  await windows.countRepetitions(fresh);
  const deltas = deltasOf(items, fresh);
  await addUp(trx, deltas, context);
  const { grants } = windows.reservation();
  decide(items, { ...openBalances(deltas, { context, isAlive, grants }), fresh, rules: context.rules });
  await forwardRemote(trx, deltas.counted, deps.forward);
  await takeBack(trx, deltas, context);
  const messages = deltas.counted.filter(isQueued).map((item) => newMessage(item, deltas, context));
  if (messages.length > 0) await insertMessages(trx, messages);
  await countReceived(trx, deltas.counted, context.now);
  return deltas;
}

/**
 * The short way for messages to devices of this server, in the same steps and with the same locks, taken to the database
 * in two trips: the second statement of each is sent without waiting for the first. The first statement counts the
 * senders; it is a transaction of its own that is over when the storing one begins. It begins on the belief that no
 * message was sent before. Where one was, all is rolled back, no item has an outcome, and the answer is undefined.
 */
export async function storeFreshItems(
  pipeline: OpenPipeline,
  items: readonly Item[],
  { context, isAlive, windows, sideEffects }: Storing & { sideEffects: readonly SideEffectOfItems[] },
): Promise<Deltas | undefined> {
  const { stored, looked } = keysOf(items, context);
  const fresh = new Set(stored);
  const deltas = deltasOf(items, fresh);
  const [{ grants }, , taken, , known] = await together([
    windows.reserve(pipeline),
    pipeline.begin(),
    stored.length === 0 ? Promise.resolve(0) : countNewKeys(pipeline, newKeys(stored, context)),
    addUp(pipeline, deltas, context),
    looked.length === 0 ? Promise.resolve([]) : findKeys(pipeline, looked),
  ]);
  if (taken < stored.length || known.length > 0) {
    await pipeline.rollback();
    return undefined;
  }
  decide(items, { ...openBalances(deltas, { context, isAlive, grants }), fresh, rules: context.rules });
  const messages = deltas.counted.filter(isQueued).map((item) => newMessage(item, deltas, context));
  await together([
    takeBack(pipeline, deltas, context),
    messages.length === 0 ? Promise.resolve() : copyMessages(pipeline, messages),
    countReceived(pipeline, deltas.counted, context.now),
    ...sideEffects.map((one) => one.sideEffect.write(pipeline, one.items.map(outcomeOf))),
    pipeline.commit(),
  ]);
  for (const { sideEffect } of sideEffects) sideEffect.committed = true;
  return deltas;
}

/** By now every item has one. */
function outcomeOf({ outcome }: Item): Outcome {
  if (outcome === undefined) throw new Error("a message was not judged");
  return outcome;
}

/** The keys of items that had been seen in no form before. */
async function takeKeys(trx: Db, items: readonly Item[], context: Context): Promise<Set<string>> {
  const { stored, looked } = keysOf(items, context);
  if (stored.length === 0) return new Set();
  const fresh = new Set(await insertKeys(trx, newKeys(stored, context)));
  const known = new Set(looked.length === 0 ? [] : await findKeys(trx, looked));
  for (const { key, earlierKey } of items) {
    if (earlierKey === undefined || context.earlierKeys === "none") continue;
    const isKnown = context.earlierKeys === "stored" ? !fresh.has(earlierKey) : known.has(earlierKey);
    if (isKnown) fresh.delete(key);
  }
  return fresh;
}

/** Hashes to store, and those in the earlier form that are only looked for, both in order. */
function keysOf(items: readonly Item[], { earlierKeys }: Context): { stored: string[]; looked: string[] } {
  const known = items.filter((item) => !isUnknown(item));
  const keys = known.map((item) => item.key);
  const earlier = known.flatMap(({ earlierKey }) => (earlierKey === undefined ? [] : [earlierKey]));
  return {
    stored: unique(earlierKeys === "stored" ? [...keys, ...earlier] : keys).sort(),
    looked: earlierKeys === "found" ? unique(earlier).sort() : [],
  };
}

function newKeys(keys: readonly string[], { now, settings }: Context): { keys: readonly string[]; expiresOn: number } {
  const expiresOn = Math.ceil(now / daySeconds) + settings.server.max_retention_days;
  return { keys, expiresOn };
}

async function addUp(trx: Db | Pipeline, deltas: Deltas, { now }: Context): Promise<void> {
  if (deltas.additions.length === 0) return;
  const { additions, states } = deltas;
  for (const state of await addToMailboxes(trx, { additions, now })) {
    states.set(state.device_id, state);
  }
  if (states.size === additions.length) return;
  throw new RowsVanished(additions.map(({ deviceId }) => deviceId).filter((id) => !states.has(id)));
}

/** Undoes the addition of messages that were refused; they leave no key behind. */
async function takeBack(trx: Db | Pipeline, deltas: Deltas, context: Context): Promise<void> {
  const refused = deltas.counted.filter((item) => refusalOf(item) !== undefined);
  if (refused.length === 0) return;
  const keys = keysOf(refused, context).stored;
  await together([refundMailboxes(trx, deltas.refunds(refused)), deleteKeys(trx, keys)]);
}

function newMessage(item: Item, deltas: Deltas, { now, settings }: Context): NewMessage {
  const { envelope, recipient, position } = item;
  const deviceId = recipient?.device_id ?? "";
  const days = settings.server.max_retention_days;
  const retentionDays = Math.min(days, recipient?.max_retention_days ?? days);
  return {
    deviceId,
    position,
    messageId: envelope.messageId,
    ciphertext: envelope.ciphertext,
    senderSignature: envelope.senderSignature,
    sentAt: envelope.timestamp,
    receivedAt: deltas.states.get(deviceId)?.last_received_at ?? now,
    expiresAt: now + retentionDays * daySeconds,
    systemEvent: envelope.systemEvent === null ? null : JSON.stringify(envelope.systemEvent),
  };
}
