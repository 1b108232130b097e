// What each kind of message does on this device: it is shown, changes other messages, or signals that somebody is typing.

import type { SvcMessage } from "../../client/index.js";
import { lastMillisOf } from "../../protocol/units.js";
import type { Member } from "../mls/members.js";
import { noteProfile } from "../sending/profile-messages.js";
import { endOf } from "../store/disappearing-times.js";
import type { Message } from "../store/events.js";
import type { Transaction } from "../store/ledger.js";
import { affectMessages, keepMessage, noteRead } from "../store/messages.js";
import type { Reportable } from "../store/records.js";
import type { Membership } from "./membership.js";
import { showTyping } from "./typing.js";

/** Stores a message, or its effect on other messages. */
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
      await noteProfile(transaction, membership.core, { group: membership.id, body, by, at });
      return undefined;
  }
}
