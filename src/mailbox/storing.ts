import type { Db } from "../platform/database/connection.js";
import { type IsAlive, openBooks } from "./accounts.js";
import { countFederated } from "./federation-counts.js";
import { type Forward, forwardRemote } from "./forwarding.js";
import {
  addToMailboxes,
  deleteKeys,
  insertKeys,
  insertMessages,
  keepArrayOrder,
  type NewMessage,
  refundMailboxes,
} from "./intake-store.js";
import { type Item, isQueued, isUnknown, keyBytes, keyText, refusalOf } from "./item.js";
import { judge } from "./judging.js";
import { type Context, unique } from "./lookup.js";
import { type Tally, tallyUp } from "./tally.js";

/** Thrown where devices were removed between two statements; the flush is to be repeated. */
export class MailboxesVanished extends Error {
  readonly deviceIds: readonly string[];

  constructor(deviceIds: readonly string[]) {
    super("mailboxes are gone");
    this.deviceIds = deviceIds;
  }
}

const secondsPerDay = 86_400;

/**
 * The part of a flush that runs in one transaction; gives every item its outcome. Keys of new messages come first, so
 * that a repetition which another node is storing right now is waited for. Then windows and queues are added to as if
 * every new message were accepted, which locks their rows; each item is judged on what came back; what was too much is
 * taken back; the rest is stored.
 *
 * The queue's row stays locked until the commit, so no position of a queue can be seen before an earlier one.
 */
export async function storeItems(
  trx: Db,
  items: readonly Item[],
  needs: { context: Context; isAlive: IsAlive; forward: Forward | undefined },
): Promise<Tally> {
  const { context } = needs;
  await keepArrayOrder(trx);
  const fresh = await takeKeys(trx, items, context);
  const tally = tallyUp(items, { fresh, allowances: context.allowances });
  await addUp(trx, tally, context);
  judge(items, { ...openBooks(tally, context, needs.isAlive), fresh, rules: context.rules });
  await forwardRemote(trx, tally.counted, needs.forward);
  await takeBack(trx, tally);
  const messages = tally.counted.filter(isQueued).map((item) => newMessage(item, tally, context));
  if (messages.length > 0) await insertMessages(trx, messages);
  await countFederated(trx, tally.counted, context.now);
  return tally;
}

/** The keys that had not been seen before. */
async function takeKeys(trx: Db, items: readonly Item[], { now, settings }: Context): Promise<Set<string>> {
  const keys = unique(items.filter((item) => !isUnknown(item)).map((item) => item.keyText)).sort();
  if (keys.length === 0) return new Set();
  const expiresOn = Math.ceil(now / secondsPerDay) + settings.server.max_retention_days;
  return new Set((await insertKeys(trx, { keys: keys.map(keyBytes), expiresOn })).map(keyText));
}

async function addUp(trx: Db, tally: Tally, { now, rules }: Context): Promise<void> {
  if (tally.additions.length === 0) return;
  const { additions, states } = tally;
  for (const state of await addToMailboxes(trx, { additions, now, windowSeconds: rules.windowSeconds })) {
    states.set(state.device_id, state);
  }
  if (states.size === additions.length) return;
  throw new MailboxesVanished(additions.map(({ deviceId }) => deviceId).filter((id) => !states.has(id)));
}

/** Undoes the addition of messages that were refused; they leave no key behind. */
async function takeBack(trx: Db, tally: Tally): Promise<void> {
  const refused = tally.counted.filter((item) => refusalOf(item) !== undefined);
  if (refused.length === 0) return;
  await refundMailboxes(trx, tally.refunds(refused));
  await deleteKeys(
    trx,
    refused.map((item) => item.key),
  );
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
