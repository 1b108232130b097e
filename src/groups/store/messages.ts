// The stored messages of a group. edits-and-reactions.ts says how later messages change one.

import { messageReference, type SvcMessage } from "../../client/index.js";
import { shownName } from "../encoding/names.js";
import { endOfDates } from "../mls/group-context.js";
import { noteChat } from "./chats.js";
import { noteEnd } from "./disappearing-times.js";
import { changedBy, effectPrefix, keepEffect } from "./edits-and-reactions.js";
import type { AttachedFile, KeptEvent, Message, StoredEvent } from "./events.js";
import { forgetFile } from "./file-parts.js";
import type { Ledger, Transaction } from "./ledger.js";
import {
  effectsPrefix,
  idKey,
  indexPrefix,
  inGroup,
  type Key,
  keyOf,
  messagePrefix,
  numbered,
  searchPrefix,
} from "./record-keys.js";
import type { Author, Reportable, StoredEffect } from "./records.js";

/** A message that is kept. */
type Kept = Extract<SvcMessage, { type: "text" | "attachment" | "custom" }>;

/** When a message disappears, and whether that is past. */
interface End {
  atMillis: number;
  isOver: boolean;
}

interface ShownRange {
  group: string;
  before?: number | undefined;
  after?: number | undefined;
  limit: number;
  /** Whether it has not disappeared. */
  isThere(message: Message): boolean;
}

/** A blocked user may have sent very many. */
const pageBehindHidden = 500;

/** Stores a message, with what has come before it to change it. Undefined if this device has it already. */
export async function keepMessage(
  ledger: Ledger,
  transaction: Transaction,
  {
    group,
    body,
    by,
    isMine,
    report = {},
    receivedAtMillis,
    end,
  }: {
    group: string;
    body: Kept;
    by: Author;
    isMine: boolean;
    report?: Reportable | undefined;
    receivedAtMillis: number;
    end: End | undefined;
  },
): Promise<Message | undefined> {
  const id = messageReference(by.user || String(by.id), body.message_id);
  if ((await transaction.get(indexKey(group, id))) !== undefined) return undefined;
  const seq = ledger.nextNumber();
  const { user, name, device } = by;
  let message: Message = {
    id,
    group,
    from: { user, name, device },
    isMine,
    sentAtMillis: Math.min(body.sent_at_millis, receivedAtMillis),
    receivedAtMillis,
    text: body.text ?? "",
    ...(body.reply_to !== undefined && { replyTo: body.reply_to }),
    ...("mentions" in body && { mentions: body.mentions }),
    ...(body.type === "attachment" && { file: fileOf(body, by) }),
    ...(body.type === "custom" && {
      content: { type: body.content_type, version: body.content_version, body: body.content },
    }),
    reactions: {},
    receipts: {},
    ...(end && { disappearsAtMillis: end.atMillis }),
    seq,
  };
  for (const [key, stored] of await transaction.readAll(effectPrefix(group, id))) {
    message = changedBy(message, stored) ?? message;
    transaction.remove(key);
  }
  transaction.set(indexKey(group, id), { seq, ...(isMine ? {} : report) });
  // Shown for a moment only, it would be noticed by chance. A repetition is not stored either.
  if (end?.isOver) return undefined;
  transaction.set(messageKey(group, seq), message);
  if (end !== undefined) noteEnd(transaction, { group, seq, atMillis: end.atMillis });
  // Somebody who answers has read what was there.
  if (!ledger.people.blocked.has(user)) await noteChat(transaction, group, { last: seq, ...(isMine && { read: seq }) });
  transaction.event({ type: "message", group, message });
  return message;
}

function fileOf(
  { file, name, media_type: mediaType }: Extract<Kept, { type: "attachment" }>,
  { address }: Author,
): AttachedFile {
  const { expires_at: endsAt } = file;
  const isTime = typeof endsAt === "number" && Number.isSafeInteger(endsAt) && endsAt >= 0 && endsAt < endOfDates;
  const relay = address.slice(address.indexOf("@") + 1);
  const described = { reference: file, relay, name: shownName(name), mediaType };
  return isTime ? { ...described, endsAtMillis: 1000 * endsAt } : described;
}

/** Stores messages that another device of the user has had, oldest first, but for those that this one has. */
export async function importMessages(
  transaction: Transaction,
  {
    messages,
    user,
    nowMillis,
    first = 0,
  }: { messages: readonly Message[]; user: string; nowMillis: number; first?: number },
): Promise<void> {
  const effects = new Map<string, [key: string, stored: StoredEffect][]>();
  for (const [key, stored] of await transaction.readAll(effectsPrefix)) {
    const prefix = key.slice(0, key.lastIndexOf("/") + 1);
    effects.set(prefix, [...(effects.get(prefix) ?? []), [key, stored]]);
  }
  for (const [at, imported] of messages.entries()) {
    const seq = first + at;
    const { id, group, disappearsAtMillis: atMillis = Number.POSITIVE_INFINITY } = imported;
    if (idKey(group) !== group || atMillis <= nowMillis) continue;
    if ((await transaction.get(indexKey(group, id))) !== undefined) continue;
    const isMine = imported.from.user === user;
    // The user has read it there.
    const receipts = isMine ? imported.receipts : { ...imported.receipts, [user]: "read" as const };
    let message: Message = { ...imported, isMine, receipts, seq };
    for (const [key, stored] of effects.get(effectPrefix(group, id)) ?? []) {
      message = changedBy(message, stored) ?? message;
      transaction.remove(key);
    }
    transaction.set(messageKey(group, seq), message);
    transaction.set(indexKey(group, id), { seq });
    transaction.remove(searchKey(group, seq));
    if (Number.isSafeInteger(atMillis)) noteEnd(transaction, { group, seq, atMillis });
  }
}

/** Changes stored messages; an effect on a message that this device does not have yet waits for it. */
export async function affectMessages(
  transaction: Transaction,
  { group, effect, by, at }: { group: string } & StoredEffect,
): Promise<void> {
  const targets = effect.type === "receipt" ? new Set(effect.targets) : [effect.target];
  for (const target of targets) {
    const index = await transaction.read(indexKey(group, target));
    if (index === undefined) {
      await keepEffect(transaction, { group, target, effect, by, at });
      continue;
    }
    const message = await transaction.read(messageKey(group, index.seq));
    const next = message && changedBy(message, { effect, by, at });
    if (next === undefined) continue;
    transaction.set(messageKey(group, index.seq), next);
    if (effect.type === "edit") transaction.remove(searchKey(group, index.seq));
    if (message?.file !== undefined && next.file === undefined) await forgetFile(transaction, { group, id: target });
    const event = { type: "messageChanged" as const, group, message: next, change: effect.type, by };
    // Many small changes of a large message take little room.
    transaction.event(event, { ...event, message: next.seq });
  }
}

/** An event as it was stored, with the message as it is now. Undefined if the message has been deleted. */
export async function completeEvent(
  ledger: Ledger,
  stored: KeptEvent & { seq: number },
): Promise<StoredEvent | undefined> {
  const { people } = ledger;
  if (stored.type !== "messageChanged") return people.isHidden(stored) ? undefined : people.shownEvent(stored);
  const { message } = stored;
  if (typeof message !== "number") return people.shownEvent({ ...stored, message });
  const found = await ledger.read(messageKey(stored.group, message));
  const shown = found && people.shownOf(found);
  return shown && people.shownEvent({ ...stored, message: shown });
}

/**
 * Throws a TypeError unless this device has the messages; for a change of the text, their author must be the user. Members would ignore what is sent
 * about others.
 */
export async function demandMessages(
  transaction: Transaction,
  { group, ids, author }: { group: string; ids: readonly string[]; author?: string },
): Promise<Message[]> {
  const found: Message[] = [];
  for (const id of ids) {
    const message = await findMessage(transaction, group, id);
    if (message === undefined) throw new TypeError(`there is no message ${id} in this group`);
    if (author !== undefined && message.from.user !== author) throw new TypeError("only its author can edit a message");
    found.push(message);
  }
  return found;
}

/** Notes that the user has read these messages, as far as this device has them, and all before them. */
export async function noteRead(transaction: Transaction, group: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const index = await transaction.read(indexKey(group, id));
    if (index !== undefined) await noteChat(transaction, group, { read: index.seq });
  }
}

/** What a report of a stored message needs. */
export async function reportableOf(ledger: Ledger, group: string, id: string): Promise<Reportable> {
  return (await ledger.read(indexKey(group, id))) ?? {};
}

export async function seqOf(ledger: Ledger, group: string, id: string): Promise<number | undefined> {
  return (await ledger.read(indexKey(group, id)))?.seq;
}

/** The newest messages that are shown, or with `after` the oldest. */
export async function readMessages(
  ledger: Ledger,
  { group, before, after, limit, isThere }: ShownRange,
): Promise<Message[]> {
  const last = after === undefined;
  const prefix = inGroup(messagePrefix, group);
  const bounds = {
    ...(before !== undefined && { before: numbered(prefix, before) }),
    ...(after !== undefined && { after: numbered(prefix, after) }),
  };
  let messages: Message[] = [];
  for (let page = limit; ; page = Math.max(limit, pageBehindHidden)) {
    const found = await ledger.readAll(prefix, { ...bounds, limit: page, last });
    const shown = found.flatMap(([, message]) => (isThere(message) ? (ledger.people.shownOf(message) ?? []) : []));
    messages = last ? [...shown, ...messages] : [...messages, ...shown];
    const [edge] = (last ? found[0] : found.at(-1)) ?? [];
    if (found.length < page || messages.length >= limit || edge === undefined) break;
    bounds[last ? "before" : "after"] = edge;
  }
  return last ? messages.slice(-limit) : messages.slice(0, limit);
}

export async function findMessage(transaction: Transaction, group: string, id: string): Promise<Message | undefined> {
  const index = await transaction.read(indexKey(group, id));
  return index && transaction.read(messageKey(group, index.seq));
}

/** Throws a TypeError if this device does not have one of them. Their ids stay, so that a repetition does not bring them back. */
export async function deleteMessages(transaction: Transaction, group: string, ids: readonly string[]): Promise<void> {
  for (const { id, seq } of await demandMessages(transaction, { group, ids })) {
    removeMessage(transaction, { group, seq });
    await forgetFile(transaction, { group, id });
  }
}

export function removeMessage(transaction: Transaction, { group, seq }: Pick<Message, "group" | "seq">): void {
  transaction.remove(messageKey(group, seq));
  transaction.remove(searchKey(group, seq));
}

export async function isDeleted(transaction: Transaction, group: string, id: string): Promise<boolean> {
  const isKnown = (await transaction.get(indexKey(group, id))) !== undefined;
  return isKnown && (await findMessage(transaction, group, id)) === undefined;
}

/** So many numbers have one entry in the index of words. */
export const searchSpan = 2_000;

/** Of the words of the messages around this number. Whatever changes one of them removes the entry. */
export function searchKey(group: string, seq: number): Key<{ words: string }> {
  return numbered(inGroup(searchPrefix, group), Math.floor(seq / searchSpan));
}

export function messageKey(group: string, seq: number): Key<Message> {
  return numbered(inGroup(messagePrefix, group), seq);
}

function indexKey(group: string, id: string): Key<{ seq: number } & Reportable> {
  return keyOf(inGroup(indexPrefix, group), idKey(id));
}
