import type { Db, Pipeline } from "../platform/database/connection.js";
import { type OpenPipeline, together } from "../platform/database/pipelines.js";
import { type IsAlive, openBooks } from "./accounts.js";
import type { Outcome } from "./envelope.js";
import { countReceived } from "./federation-counts.js";
import { type Forward, forwardRemote } from "./forwarding.js";
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
} from "./intake-store.js";
import { type Enclosure, type Item, isQueued, isUnknown, refusalOf } from "./item.js";
import { judge } from "./judging.js";
import { type Context, unique } from "./lookup.js";
import { RowsVanished } from "./rows-vanished.js";
import type { Reservation } from "./sending-windows.js";
import { type Tally, tallyUp } from "./tally.js";

const secondsPerDay = 86_400;

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
  needs: Storing & { forward: Forward | undefined },
): Promise<Tally> {
  const { context, windows, isAlive } = needs;
  await keepArrayOrder(trx);
  const fresh = await takeKeys(trx, items, context);
  await windows.countRepetitions(fresh);
  const tally = tallyUp(items, fresh);
  await addUp(trx, tally, context);
  const { grants } = windows.reservation();
  judge(items, { ...openBooks(tally, { context, isAlive, grants }), fresh, rules: context.rules });
  await forwardRemote(trx, tally.counted, needs.forward);
  await takeBack(trx, tally, context);
  const messages = tally.counted.filter(isQueued).map((item) => newMessage(item, tally, context));
  if (messages.length > 0) await insertMessages(trx, messages);
  await countReceived(trx, tally.counted, context.now);
  return tally;
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
  { context, isAlive, windows, enclosures }: Storing & { enclosures: readonly Enclosure[] },
): Promise<Tally | undefined> {
  const { stored, looked } = keysOf(items, context);
  const fresh = new Set(stored);
  const tally = tallyUp(items, fresh);
  const [{ grants }, , taken, , known] = await together([
    windows.reserve(pipeline),
    pipeline.begin(),
    stored.length === 0 ? Promise.resolve(0) : countNewKeys(pipeline, newKeys(stored, context)),
    addUp(pipeline, tally, context),
    looked.length === 0 ? Promise.resolve([]) : findKeys(pipeline, looked),
  ]);
  if (taken < stored.length || known.length > 0) {
    await pipeline.rollback();
    return undefined;
  }
  judge(items, { ...openBooks(tally, { context, isAlive, grants }), fresh, rules: context.rules });
  const messages = tally.counted.filter(isQueued).map((item) => newMessage(item, tally, context));
  await together([
    takeBack(pipeline, tally, context),
    messages.length === 0 ? Promise.resolve() : copyMessages(pipeline, messages),
    countReceived(pipeline, tally.counted, context.now),
    ...enclosures.map((one) => one.enclosed.write(pipeline, one.items.map(outcomeOf))),
    pipeline.commit(),
  ]);
  for (const { enclosed } of enclosures) enclosed.committed = true;
  return tally;
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
  const expiresOn = Math.ceil(now / secondsPerDay) + settings.server.max_retention_days;
  return { keys, expiresOn };
}

async function addUp(trx: Db | Pipeline, tally: Tally, { now }: Context): Promise<void> {
  if (tally.additions.length === 0) return;
  const { additions, states } = tally;
  for (const state of await addToMailboxes(trx, { additions, now })) {
    states.set(state.device_id, state);
  }
  if (states.size === additions.length) return;
  throw new RowsVanished(additions.map(({ deviceId }) => deviceId).filter((id) => !states.has(id)));
}

/** Undoes the addition of messages that were refused; they leave no key behind. */
async function takeBack(trx: Db | Pipeline, tally: Tally, context: Context): Promise<void> {
  const refused = tally.counted.filter((item) => refusalOf(item) !== undefined);
  if (refused.length === 0) return;
  const keys = keysOf(refused, context).stored;
  await together([refundMailboxes(trx, tally.refunds(refused)), deleteKeys(trx, keys)]);
}

function newMessage(item: Item, tally: Tally, { now, settings }: Context): NewMessage {
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
    receivedAt: tally.states.get(deviceId)?.last_received_at ?? now,
    expiresAt: now + retentionDays * secondsPerDay,
    systemEvent: envelope.systemEvent === null ? null : JSON.stringify(envelope.systemEvent),
  };
}
