// What this device sends to a group. It is encrypted in the transaction that stores it.

import { type SealedMessage, sealMessages } from "../../client/index.js";
import { type Body, encodeBody, encodeContent } from "../encoding/content.js";
import { disappearSecondsOf } from "../mls/group-context.js";
import type { Member } from "../mls/members.js";
import { NotPermittedError } from "../mls/permissions.js";
import { type Notice, signNotice } from "../sending/online-notices.js";
import { takeOwed } from "../sending/profile-messages.js";
import { noteWaiting } from "../store/deliveries.js";
import type { Message } from "../store/events.js";
import type { Transaction } from "../store/ledger.js";
import { takeReceipts } from "../store/waiting-receipts.js";
import type { Membership } from "./membership.js";
import { keepBody } from "./message-kinds.js";

/** Seals a message for the others, and commits the transaction. */
export async function sendMessage(
  transaction: Transaction,
  membership: Membership,
  body: Body,
): Promise<Message | undefined> {
  membership.demandAccepted();
  if (!isFree(body) && !membership.may("send")) throw new NotPermittedError("send");
  const message = await seal(transaction, membership, body);
  await transaction.commit();
  return message;
}

export async function seal(
  transaction: Transaction,
  membership: Membership,
  given: Body,
): Promise<Message | undefined> {
  const isMessage = "type" in given && ["text", "attachment", "custom"].includes(given.type);
  const profile = isMessage ? await takeOwed(transaction, membership.core, membership.id) : undefined;
  if (profile !== undefined) await seal(transaction, membership, profile);
  const body = isMessage ? { ...given, ...(await takeReceipts(transaction, membership.id)) } : given;
  const copies = await copiesOf(transaction, membership, body);
  const me = membership.members().find(({ isMe }) => isMe) as Member;
  const noted = { by: me, at: membership.nowSeconds(), disappearSeconds: disappearSecondsOf(membership.view) };
  const stored = "operation" in body ? undefined : await keepBody(transaction, membership, { body, ...noted });
  // A message after one that may be sealed again must be sealed again, too: otherwise the others could read it first.
  const mayBeLate = membership.catchUp.isBehind || membership.outbox.mayBeSealedAgain(membership.id);
  const isLate = !("operation" in body) && mayBeLate;
  const isQuiet = "type" in body && body.type === "receipt";
  const item = {
    group: membership.id,
    copies,
    ...(stored && { message: stored.id }),
    ...(isQuiet && { isQuiet }),
    ...(isLate && { body }),
  };
  if (stored !== undefined && copies.length > 0)
    await noteWaiting(transaction, { group: membership.id, message: stored.id });
  membership.outbox.post(transaction, { ...item, createdAtMillis: membership.core.nowMillis() });
  return stored;
}

/** Seals a message again that was sealed in an epoch that the others may have left long ago. Undefined if this device may no longer send it. */
export async function sealAgain(
  transaction: Transaction,
  membership: Membership,
  body: Body,
): Promise<SealedMessage[] | undefined> {
  if (!membership.isActive || !(isFree(body) || membership.may("send"))) return undefined;
  return copiesOf(transaction, membership, body);
}

async function copiesOf(transaction: Transaction, membership: Membership, body: Body): Promise<SealedMessage[]> {
  const { mls, sealing } = membership.core;
  const { state, message } = await mls.encrypt(membership.latestState(transaction), encodeBody(body));
  const to = membership.recipients();
  const { keys } = membership;
  const sealed = isFree(body)
    ? { content: encodeContent({ kind: "mls", message }), isAutomatic: true }
    : { content: (handle: Uint8Array) => encodeContent({ kind: "mls", message, handle }) };
  const copies = to.length === 0 ? [] : await sealMessages({ to, keys, ...sealed }, sealing);
  membership.moveState(transaction, state);
  return copies;
}

/** Seals a notice for members who are online. It changes nothing. */
export async function sealNotice(membership: Membership, notice: Notice): Promise<SealedMessage[]> {
  membership.demandAccepted();
  const { account, device, sealing } = membership.core;
  const place = { group: membership.id, epoch: Number(membership.view.epoch) };
  const to = membership.recipients();
  if (to.length === 0) return [];
  const message = signNotice(notice, { place, device: device.deviceId, userSecret: account.userSecret });
  const content = encodeContent({ kind: "passing", message });
  return sealMessages({ to, content, keys: membership.keys, expiresInSeconds: 0, isAutomatic: true }, sealing);
}

/** Whether sending it needs no permission. */
export function isFree(body: Body): boolean {
  return "operation" in body || body.type === "receipt" || body.type === "persona_update";
}
