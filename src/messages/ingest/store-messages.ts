import type { Db, Pipeline } from "../../database/db.js";
import { byStatement } from "../../database/joined-bytes.js";
import { type OpenPipeline, together } from "../../database/pipelines.js";
import { passStep } from "../../platform/message-steps.js";
import { daySeconds, mebibyte } from "../../protocol/units.js";
import { RowsVanished } from "../model/retry.js";
import type { Forward, Forwarded, Outcome, OutgoingMessage } from "../model/types.js";
import { addToQueues, refundQueues } from "../queue/counters-store.js";
import { keepArrayOrder } from "../queue/lock-order.js";
import { bySharing, insertShared, roundsOf, type SharedCiphertext } from "../queue/shared.js";
import { copyMessages, insertMessages, type NewMessage } from "../queue/store.js";
import { decide, type Remaining, refuseTogether } from "./decide.js";
import { removeKeys, storeKeys, storeNewKeys } from "./deduplication/duplicate.js";
import { type MessageKey, tagOf } from "./deduplication/message-key.js";
import { countReceived } from "./federation-counts.js";
import { type Deltas, deltasOf, type IsAlive, refundsOf, remainingOfQueues } from "./limits/queue-limit.js";
import { notifySenders, remainingOfSenders } from "./limits/sender-remaining.js";
import type { Grants, Reservation } from "./limits/sending-windows.js";
import type { Context } from "./look-up.js";
import {
  type Item,
  idOf,
  isAccepted,
  isQueued,
  isRemote,
  isUnknown,
  type SideEffectOfItems,
  unique,
} from "./model/item.js";

// The part of a flush that runs in one transaction. It gives every item its outcome:
//
//   1. store the keys of new messages, and wait here for a repetition that another node is storing
//   2. add to queues as if every new message were accepted, which locks their rows
//   3. decide each item by what the senders were granted before and what the queues hold now
//   4. take back what was added for refused messages
//   5. store the accepted ones
//
// The row of a queue stays locked until the commit, so that no position of a queue can be seen before an earlier one.

/** Maximum bytes of ciphertext that are sent to the database at once; a longer ciphertext goes alone. */
const copyBytes = 16 * mebibyte;

export interface StoreDeps {
  context: Context;
  isAlive: IsAlive;
  reservation: Pick<Reservation, "reserve" | "grants" | "reserveRepetitions">;
  /** Undefined on a server that does not federate. */
  forward: Forward | undefined;
}

/** Used on the fast path. */
export interface FastPathDeps extends StoreDeps {
  sideEffects: readonly SideEffectOfItems[];
  /** Reads whether the context still holds, if it was recalled. */
  confirm: (() => Promise<boolean>) | undefined;
}

/** Thrown if recalled data no longer holds. Nothing is stored. */
export class Outdated extends Error {
  constructor() {
    super("devices or addresses have changed");
  }
}

/** The slow path, for items of any kind. The senders' windows must have been reserved before. */
export async function storeItems(trx: Db, items: readonly Item[], deps: StoreDeps): Promise<Deltas> {
  const { context, reservation } = deps;
  await keepArrayOrder(trx);
  const fresh = await storeKeys(trx, keysOf(items), context.keyRules);
  await reservation.reserveRepetitions(fresh);
  const deltas = deltasOf(items, fresh);
  await addDeltas(trx, deltas, context);
  const remaining = decideAll(items, { ...deps, deltas, fresh, grants: reservation.grants() });
  const forwarded = await forwardRemote(trx, items, deps.forward);
  for (const store of forwarded.statements) await store();
  trx.afterCommit(() => forwarded.committed());
  refuseTogether(items, remaining);
  notifySenders(items, remaining);
  await takeBackRefused(trx, items, { deltas, context });
  for (const part of byStatement(newMessages(items, { deltas, context }))) await insertMessages(trx, part);
  await countReceived(trx, items, context.now);
  return deltas;
}

/**
 * The fast path: the same steps with the same locks in two round trips, or three with messages for other servers,
 * because the statements of each are sent without waiting for each other. The first statement reserves in the senders'
 * windows; it is a separate transaction that has ended when the storing one begins. The fast path assumes that no
 * message is a repetition. If one is, everything is rolled back, no item has an outcome, and the result is undefined.
 * If the context was recalled, it is confirmed in the same round trip, before the transaction begins; throws Outdated
 * if it does not hold.
 */
export async function storeFreshItems(
  pipeline: OpenPipeline,
  items: readonly Item[],
  deps: FastPathDeps,
): Promise<Deltas | undefined> {
  const { context, reservation, sideEffects, confirm } = deps;
  const keys = keysOf(items);
  const fresh = new Set(keys);
  const deltas = deltasOf(items, fresh);
  const confirming = confirm === undefined ? Promise.resolve(true) : confirm();
  const reserving = reservation.reserve(pipeline);
  const beginning = pipeline.begin();
  const storing = storeNewKeys(pipeline, keys, context.keyRules);
  const rest = together([confirming, reserving, beginning, addDeltas(pipeline, deltas, context)]);
  // A repetition may have ended the transaction; the other statements then only report that.
  const [areNew] = await together([storing, rest.catch(() => undefined)]);
  if (!(await confirming)) {
    await pipeline.rollback();
    throw new Outdated();
  }
  if (!areNew) {
    await reserving;
    await pipeline.rollback();
    return undefined;
  }
  const [, grants] = await rest;
  passStep("counted", items, idOf);
  const remaining = decideAll(items, { ...deps, deltas, fresh, grants });
  passStep("decided", items, idOf);
  const forwarded = await forwardRemote(pipeline, items, deps.forward);
  refuseTogether(items, remaining);
  notifySenders(items, remaining);
  const messages = newMessages(items, { deltas, context });
  const { single, shared } = bySharing(messages);
  const rounds = roundsOf(shared);
  const insertRound = (round: readonly SharedCiphertext[]) => together(round.map((one) => insertShared(pipeline, one)));
  for (const round of rounds.slice(0, -1)) await insertRound(round);
  const copies = byStatement(single, copyBytes);
  for (const part of copies.slice(0, -1)) await copyMessages(pipeline, part);
  for (const store of forwarded.statements.slice(0, -1)) await store();
  await together([
    takeBackRefused(pipeline, items, { deltas, context }),
    ...copies.slice(-1).map((part) => copyMessages(pipeline, part)),
    ...rounds.slice(-1).map(insertRound),
    ...forwarded.statements.slice(-1).map((store) => store()),
    countReceived(pipeline, items, context.now),
    ...sideEffects.map((one) => one.sideEffect.write(pipeline, one.items.map(outcomeOf))),
    pipeline.commit(),
  ]);
  for (const { sideEffect } of sideEffects) sideEffect.committed = true;
  forwarded.committed();
  return deltas;
}

function decideAll(
  items: readonly Item[],
  decided: Pick<StoreDeps, "context" | "isAlive"> & { deltas: Deltas; fresh: ReadonlySet<string>; grants: Grants },
): Remaining {
  const { context, deltas, fresh, grants } = decided;
  const remaining = {
    senders: remainingOfSenders(grants, context),
    queues: remainingOfQueues(deltas, decided),
    fresh,
    rules: context.rules,
  };
  decide(items, remaining);
  return remaining;
}

/** By now every item has an outcome. */
function outcomeOf({ outcome }: Item): Outcome {
  if (outcome === undefined) throw new Error("a message was not decided");
  return outcome;
}

/** The distinct keys of the items that have a recipient or are for another server. */
function keysOf(items: readonly Item[]): MessageKey[] {
  return unique(items.filter((item) => !isUnknown(item)).map(({ key }) => key));
}

async function addDeltas(trx: Db | Pipeline, deltas: Deltas, { now }: Context): Promise<void> {
  if (deltas.additions.length === 0) return;
  const { additions, states } = deltas;
  for (const state of await addToQueues(trx, { additions, now })) {
    states.set(state.device_id, state);
  }
  if (states.size === additions.length) return;
  throw new RowsVanished(additions.map(({ deviceId }) => deviceId).filter((id) => !states.has(id)));
}

/** Undoes the addition of messages that were refused. They leave no key behind. */
async function takeBackRefused(
  trx: Db | Pipeline,
  items: readonly Item[],
  { deltas, context }: { deltas: Deltas; context: Context },
): Promise<void> {
  if (deltas.counted.every(isAccepted)) return;
  // Of several items with one key, an item other than the first may have been accepted.
  const accepted = new Set(items.filter(isAccepted).map(({ key }) => key));
  const refused = deltas.counted.filter(({ key }) => !accepted.has(key));
  const refunds = refundsOf(deltas, items.filter(isQueued));
  await together([
    refunds.length === 0 ? Promise.resolve() : refundQueues(trx, refunds),
    removeKeys(trx, keysOf(refused), context.keyRules),
  ]);
}

/** Passes the accepted messages for other servers to the outbox; the result is their outcome. */
async function forwardRemote(
  db: Db | Pipeline,
  items: readonly Item[],
  forward: Forward | undefined,
): Promise<Pick<Forwarded, "statements" | "committed">> {
  const remote = items.filter((item) => isRemote(item) && isAccepted(item));
  if (remote.length === 0 || forward === undefined) return nothingForwarded;
  const forwarded = await forward(db, remote.map(outgoingMessage));
  remote.forEach((item, i) => {
    item.outcome = forwarded.outcomes[i];
  });
  answerRepetitions(items, remote);
  return forwarded;
}

/** A repetition within the flush was accepted because the first item was; now it is refused with it. */
function answerRepetitions(items: readonly Item[], forwarded: readonly Item[]): void {
  const refused = new Map(forwarded.filter((item) => !isAccepted(item)).map((item) => [item.key, item.outcome]));
  if (refused.size === 0) return;
  for (const item of items) {
    const outcome = isAccepted(item) ? undefined : refused.get(item.key);
    if (outcome === undefined || item.outcome === outcome) continue;
    item.outcome = outcome;
    item.used = undefined;
  }
}

const nothingForwarded = { statements: [], committed: () => undefined };

function outgoingMessage({ envelope, key, toMany }: Item): OutgoingMessage {
  const { domain = "", recipient, messageId, ciphertext, senderSignature, timestamp, systemEvent } = envelope;
  const content = { messageId, ciphertext, senderSignature, timestamp, systemEvent };
  return { toMany, domain, recipient, ...content, dedupTag: tagOf(key) };
}

function newMessages(items: readonly Item[], of: { deltas: Deltas; context: Context }): NewMessage[] {
  return items.filter(isQueued).map((item) => newMessage(item, of));
}

function newMessage(item: Item, { deltas, context }: { deltas: Deltas; context: Context }): NewMessage {
  const { now, settings } = context;
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
