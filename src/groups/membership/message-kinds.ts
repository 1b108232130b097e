// What a message does to this device: it is shown, changes others, or tells that somebody types.

import type { SvcMessage } from "../../client/index.js";
import type { Member } from "../mls/members.js";
import { endOf } from "../store/ends.js";
import type { Message } from "../store/events.js";
import type { Transaction } from "../store/ledger.js";
import { affectMessages, keepMessage, lastMillisOf, noteRead } from "../store/messages.js";
import type { Reportable } from "../store/records.js";
import type { Membership } from "./membership.js";

/** Stores a message, or what it does to others. */
export async function keepBody(
  transaction: Transaction,
  membership: Membership,
  {
    body,
    by,
    at,
    disappearSeconds,
    report,
  }: {
    body: SvcMessage;
    by: Member;
    at: number;
    disappearSeconds?: number | undefined;
    report?: Reportable | undefined;
  },
): Promise<Message | undefined> {
  const { ledger, account, nowMillis } = membership.core;
  const isUsers = by.isSigned && by.user === account.user;
  const isRead = body.type === "receipt" && body.status === "read";
  if (isUsers) await noteRead(transaction, membership.id, [...(body.read ?? []), ...(isRead ? body.targets : [])]);
  for (const status of ["delivered", "read"] as const) {
    const { [status]: targets, message_id, sent_at_millis } = body;
    if (targets === undefined || by.isMe) continue;
    const effect = { type: "receipt", message_id, sent_at_millis, targets, status } as const;
    await affectMessages(transaction, { group: membership.id, effect, by, at });
  }
  switch (body.type) {
    case "text":
    case "attachment":
    case "custom":
      showTyping(transaction, membership, { member: by, isTyping: false });
      return keepMessage(ledger, transaction, {
        group: membership.id,
        body,
        by,
        isMine: isUsers || by.isMe,
        report,
        receivedAtMillis: lastMillisOf(at),
        end: endOf(lastMillisOf(at), disappearSeconds, nowMillis()),
      });
    case "reaction":
    case "edit":
    case "receipt":
      await affectMessages(transaction, { group: membership.id, effect: body, by, at });
      return undefined;
    case "typing":
      if (!by.isMe) showTyping(transaction, membership, { member: by, isTyping: body.is_typing });
      return undefined;
    case "persona_update":
      return undefined;
  }
}

/** A library tells once in three seconds that somebody types. More than this is not shown. */
const typingSpanMillis = 10_000;
const maxTypingTold = 10;
/** Members who are shown as typing at once. */
const maxTyping = 20;

export function isTypingShown(
  { typing, core }: Membership,
  { member, isTyping }: { member: Member; isTyping: boolean },
): boolean {
  const known = typing.get(member.id);
  // A member who has sent a text is no longer typing it.
  if (!isTyping) return known?.isTyping === true;
  const since = core.nowMillis() - typingSpanMillis;
  if (known !== undefined && known.fromMillis > since && known.told >= maxTypingTold) return false;
  const others = [...typing].filter(([leaf, one]) => leaf !== member.id && one.isTyping && one.fromMillis > since);
  return others.length < maxTyping;
}

export function showTyping(
  transaction: Transaction,
  membership: Membership,
  { member, isTyping }: { member: Member; isTyping: boolean },
): void {
  const { ledger, nowMillis } = membership.core;
  if (!isTypingShown(membership, { member, isTyping })) return;
  transaction.afterwards(() => {
    const now = nowMillis();
    const known = membership.typing.get(member.id);
    const isSame = known !== undefined && known.fromMillis > now - typingSpanMillis;
    const { fromMillis, told } = isSame ? known : { fromMillis: now, told: 0 };
    membership.typing.set(member.id, { isTyping, fromMillis, told: told + (isTyping ? 1 : 0) });
    ledger.tell({ type: "typing", group: membership.id, member, isTyping });
  });
}
