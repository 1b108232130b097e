// Handles everything that the keys of a group have opened.

import { canBeReported, NotLoadedError } from "../../client/index.js";
import { type Body, readBody, readContent } from "../encoding/content.js";
import { disappearSecondsOf } from "../mls/group-context.js";
import { type Member, memberOf, userKeysOf } from "../mls/members.js";
import type { Leaf } from "../mls/mls.js";
import { may } from "../mls/permissions.js";
import { type Notice, readNotice } from "../sending/online-notices.js";
import type { Transaction } from "../store/ledger.js";
import { keyOf, logKey, seenPrefix, statePrefix } from "../store/record-keys.js";
import type { Reportable } from "../store/records.js";
import { takesRoom } from "./consent.js";
import { handleDispute } from "./disputes.js";
import type { FollowUp } from "./follow-ups.js";
import { isAfterRemoval, isSilenced } from "./late-messages.js";
import { noteLeaving } from "./leaving.js";
import { noteMove } from "./member-addresses.js";
import type { Membership, Opened } from "./membership.js";
import { keepBody } from "./message-kinds.js";
import { isFree } from "./sealing.js";
import { isTypingShown, showTyping } from "./typing.js";

/** A message from the queue, as far as it matters here. */
interface Received extends Opened {
  hash: string;
  /** Missing in a message that an older version kept. */
  messageId?: string;
  receivedAtSeconds: number;
  /** The key under which it has waited. */
  waiting?: string;
}

interface Sender extends Leaf {
  member: Member;
  maySend: boolean;
  disappearSeconds: number | undefined;
}

/** Any member, and any former one in past epochs, can send messages that nobody can read. */
const unreadableSpanMillis = 3_600_000;
const maxUnreadableTold = 10;

/** Handles an opened message, in a transaction that later steps may extend. */
export async function receiveOpened(
  transaction: Transaction,
  membership: Membership,
  received: Received,
): Promise<FollowUp[]> {
  const { hash, receivedAtSeconds, epoch } = received;
  const content = readContent(received.content);
  if (received.waiting !== undefined) transaction.remove(received.waiting);
  if (membership.state === "left") return [];
  if (membership.isActive && !membership.isAccepted) {
    if (content?.kind !== "mls") return [];
    return receiveUnaccepted(transaction, membership, { ...received, ...content });
  }
  if (content?.kind === "commit") {
    // If it is lost here, the slot has it.
    if (!membership.isActive) return [];
    if (epoch === membership.epoch) return [{ kind: "hear", group: membership.id, news: content.news }];
    const logged = await transaction.read(logKey(membership.id, epoch));
    const isLater = logged !== undefined && content.news.attempt > logged.attempt;
    return isLater ? [{ kind: "review", group: membership.id, epoch }] : [];
  }
  if (content?.kind === "dispute") return handleDispute(transaction, membership, { message: content.message, epoch });
  if (content?.kind === "passing") {
    await handleNotice(transaction, membership, { message: content.message, epoch, at: receivedAtSeconds });
    return [];
  }
  transaction.set(keyOf(seenPrefix, hash), { at: receivedAtSeconds });
  const read = content && (await decrypt(transaction, membership, { message: content.message, epoch }));
  if (read === undefined) {
    tellUnreadable(transaction, membership, receivedAtSeconds);
  } else {
    if (isAfterRemoval(membership, { epoch, at: receivedAtSeconds, sender: read.sender })) return [];
    const body = readBody(read.content);
    const report = reportableIn({ ...received, ...content });
    if (body !== undefined)
      return handleBody(transaction, membership, { body, sender: read.sender, receivedAtSeconds, report, epoch });
  }
  return [];
}

function tellUnreadable(transaction: Transaction, membership: Membership, receivedAtSeconds: number): void {
  const now = membership.core.nowMillis();
  if (membership.unreadable.fromMillis <= now - unreadableSpanMillis)
    membership.unreadable = { fromMillis: now, told: 0 };
  if (++membership.unreadable.told > maxUnreadableTold) return;
  transaction.event({ type: "unreadable", group: membership.id, receivedAtSeconds });
}

/** Keeps a message of a group that the user has not accepted, if there is room. */
async function receiveUnaccepted(
  transaction: Transaction,
  membership: Membership,
  received: Received & { message: Uint8Array; handle?: Uint8Array },
): Promise<FollowUp[]> {
  const { message, epoch, hash, receivedAtSeconds } = received;
  if (!(await takesRoom(transaction, membership.id, message.length))) return [];
  transaction.set(keyOf(seenPrefix, hash), { at: receivedAtSeconds });
  const read = await decrypt(transaction, membership, { message, epoch });
  const body = read && readBody(read.content);
  if (read === undefined || body === undefined) return [];
  const { member } = read.sender;
  const isUsers = member.isSigned && member.user === membership.core.account.user;
  // Another device of the user may make all of them leave.
  if ("operation" in body && (body.operation !== "leave" || !isUsers)) return [];
  const report = reportableIn(received);
  return handleBody(transaction, membership, { body, sender: read.sender, receivedAtSeconds, report, epoch });
}

/** The data that a report of a message needs; undefined if nobody could report it. */
function reportableIn({ messageId, handle }: { messageId?: string; handle?: Uint8Array }): Reportable | undefined {
  if (messageId === undefined) return {};
  return canBeReported(messageId, handle) ? { messageId, ...(handle && { handle }) } : undefined;
}

async function decrypt(
  transaction: Transaction,
  membership: Membership,
  { message, epoch }: { message: Uint8Array; epoch: number },
) {
  const { mls } = membership.core;
  // Also in the last epoch of a group that cannot be followed: others may still write in it.
  const isPresent = epoch === membership.epoch;
  const key = isPresent ? keyOf(statePrefix, membership.id) : membership.pastKey(epoch);
  // If the store fails, the message stays in the queue.
  const state = isPresent ? membership.latestState(transaction) : await membership.pastState(transaction, key);
  if (state === undefined) return undefined;
  try {
    const opened = await mls.decrypt(state, message);
    if (isPresent) membership.moveState(transaction, opened.state);
    else transaction.setState(key, { state: opened.state, save: () => mls.save(opened.state) });
    const view = mls.view(state);
    const sender = view.leaves.find(({ index }) => index === opened.sender);
    const maySend = may(view, opened.sender, "send");
    const disappearSeconds = disappearSecondsOf(view);
    const by = sender && { ...sender, maySend, member: memberOf(sender, view), disappearSeconds };
    return by && { content: opened.content, sender: by };
  } catch (problem) {
    if (problem instanceof NotLoadedError) throw problem;
    membership.core.problem(problem);
    return undefined;
  }
}

async function handleBody(
  transaction: Transaction,
  membership: Membership,
  {
    body,
    sender,
    receivedAtSeconds: at,
    report,
    epoch,
  }: { body: Body; sender: Sender; receivedAtSeconds: number; report: Reportable | undefined; epoch: number },
): Promise<FollowUp[]> {
  if (!("operation" in body)) {
    const { member: by, disappearSeconds } = sender;
    if (body.type === "persona_update" && !isCurrent(membership, sender)) return [];
    // All members ignore it, because the roles of its epoch count. A message that nobody could report is not shown.
    if (isFree(body) || (report !== undefined && sender.maySend && !isSilenced(membership, { sender, at, epoch })))
      await keepBody(transaction, membership, { body, by, at, disappearSeconds, report });
  } else if (body.operation === "address_rotation") {
    await noteMove(transaction, membership, { ...sender.member, to: body.address });
  } else if (body.operation === "leave" && membership.isActive) {
    return noteLeaving(transaction, membership, sender);
  }
  return [];
}

/** Whether a device speaks by the last key that this one knows of its user, or has it in the group by now. */
function isCurrent(membership: Membership, { member, ...sender }: Sender): boolean {
  const { user, device } = member;
  const present = membership.members().find((one) => one.isSigned && one.user === user && one.device === device);
  const leaves = membership.isActive ? membership.view.leaves.filter(({ index }) => index === present?.id) : [];
  return membership.core.users.outdatedIn([sender, ...leaves], user) < 2;
}

async function handleNotice(
  transaction: Transaction,
  membership: Membership,
  { message, epoch, at }: { message: Uint8Array; epoch: number; at: number },
): Promise<void> {
  if (!membership.isActive) return;
  const { account, nowMillis } = membership.core;
  const place = { group: membership.id, epoch };
  const isShown = (member: Member, notice: Notice) =>
    notice.type !== "typing" || isTypingShown(membership, { member, isTyping: notice.is_typing });
  const keyFor = ({ id }: Member) =>
    membership.view.leaves.flatMap((leaf) => (leaf.index === id ? userKeysOf(leaf) : [])).at(-1) ?? "";
  const read = readNotice(message, { place, members: membership.others(), nowMillis: nowMillis(), isShown, keyFor });
  if (read === undefined) return;
  const { member, notice } = read;
  if (notice.type === "receipt") await keepBody(transaction, membership, { body: notice, by: member, at });
  else if (member.user !== account.user) showTyping(transaction, membership, { member, isTyping: notice.is_typing });
}
