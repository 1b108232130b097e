// Which typing signals of members are shown.

import type { Member } from "../mls/members.js";
import type { Transaction } from "../store/ledger.js";
import type { Membership } from "./membership.js";

/** A member's library signals typing once in three seconds. Signals beyond this are not shown. */
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
