// Users leave with all their devices. Their last message asks the others to remove them.

import { equalBytes } from "../../protocol/encodings.js";
import type { Change } from "../mls/changes.js";
import { type Member, memberOf, userKeysOf } from "../mls/members.js";
import type { Leaf } from "../mls/mls.js";
import { isOutdated } from "../mls/own-devices.js";
import { canBeRemoved, NotPermittedError } from "../mls/permissions.js";
import { areBefore, keysOf } from "../mls/user-keys.js";
import type { Transaction } from "../store/ledger.js";
import {
  changePrefix,
  keyOf,
  outlinePrefix,
  pendingPrefix,
  receiptsPrefix,
  requestPrefix,
  unacceptedPrefix,
} from "../store/record-keys.js";
import type { Log, StoredMembership } from "../store/records.js";
import type { FollowUp } from "./follow-ups.js";
import type { Membership } from "./membership.js";
import { seal } from "./sealing.js";
import { actsFirst, standInMillis, wantOnce } from "./waiting-changes.js";

/** Leaves at once, with all devices of the user. Other members remove their leaves later. */
export async function leaveGroup(transaction: Transaction, membership: Membership): Promise<void> {
  membership.demandActive();
  if (!canBeRemoved(membership.view, membership.view.ownLeaf))
    throw new NotPermittedError("administrator", "the last administrator cannot leave: make another member one");
  if (membership.others().length > 0) await seal(transaction, membership, { operation: "leave" });
  await endMembership(transaction, membership, { state: "left" });
  await transaction.commit();
}

/** Leaves even if the roles forbid it: strangers could have made this device the last administrator. Commits the transaction. */
export async function declineGroup(transaction: Transaction, membership: Membership): Promise<void> {
  if (membership.isActive) {
    if (membership.others().length > 0) await seal(transaction, membership, { operation: "leave" });
    await endMembership(transaction, membership, { state: "left", isDenied: true });
  } else {
    membership.change(transaction, { ...membership.stored, consent: "denied" });
  }
  await transaction.commit();
}

/** Handles that a user leaves with all devices. If it is this device's user, it leaves, too; otherwise a member removes them. */
export async function noteLeaving(
  transaction: Transaction,
  membership: Membership,
  { member: { user, isSigned }, ...sender }: Pick<Leaf, "index" | "identity" | "signatureKey"> & { member: Member },
): Promise<FollowUp[]> {
  const { view, core } = membership;
  const { index, signatureKey } = sender;
  const isOwn = isSigned && user === core.account.user;
  // An unlinked device, or one that a lost device had linked, cannot make the user's other devices leave.
  const isForAll =
    isSigned && !isOutdated(view, sender) && !(isOwn && areBefore(userKeysOf(sender), keysOf(core.account)));
  if (isOwn && isForAll) {
    await endMembership(transaction, membership, { state: "left" });
  } else {
    // The leaf of a past epoch's sender may belong to another member now.
    const isSender = (leaf: Leaf) => leaf.index === index && equalBytes(leaf.signatureKey, signatureKey);
    const isLeaving = (one: Member) => isForAll && one.isSigned && one.user === user;
    const leaves = view.leaves.filter((leaf) => {
      const member = memberOf(leaf, view);
      return !member.isMe && (isSender(leaf) || isLeaving(member));
    });
    const ids = leaves.map((leaf) => leaf.index);
    if (ids.length === 0) return [];
    const members = leaves.map(({ index: leaf, signatureKey }) => ({ leaf, signatureKey }));
    const notBeforeMillis = actsFirst(membership, "remove", index) ? 0 : membership.core.nowMillis() + standInMillis;
    const change: Change = { kind: "remove", members, notBeforeMillis };
    // A removal by this device's user also bans. The other user's leaving does not replace it.
    const isSame = (one: Change) =>
      one.kind === "remove" && one.banned === undefined && one.members.map(({ leaf }) => leaf).join() === ids.join();
    await wantOnce(transaction, membership, { change, isSame });
  }
  return [{ kind: "change", group: membership.id }];
}

/** Ends the membership. Messages of past epochs can still be read. */
export async function endMembership(
  transaction: Transaction,
  membership: Membership,
  {
    state,
    outline = membership.core.mls.outline(membership.mlsState),
    removedBy,
    log = membership.stored.log ?? [],
    isDenied = false,
  }: {
    state: "left" | "removed";
    /** Of the last epoch; for a device that was removed, of the one after it. */
    outline?: Uint8Array;
    removedBy?: Member | undefined;
    log?: Log;
    isDenied?: boolean;
  },
): Promise<void> {
  const { name, epochs, invitedBy } = membership.stored;
  const denied = isDenied && { consent: "denied" as const, ...(invitedBy && { invitedBy }) };
  const by = { ...(removedBy && { removedBy }), ...denied };
  const outlineEpoch = Number(membership.view.epoch) + (state === "removed" ? 1 : 0);
  const endedAtMillis = membership.core.nowMillis();
  const stored: StoredMembership = { state, name, epochs, endedAtMillis, outlineEpoch, ...by, log };
  membership.end(transaction, stored);
  transaction.setBytes(keyOf(outlinePrefix, membership.id), outline);
  for (const prefix of [pendingPrefix, receiptsPrefix, unacceptedPrefix]) transaction.remove(prefix + membership.id);
  for (const prefix of [changePrefix, requestPrefix].map((one) => `${one}${membership.id}/`))
    for (const [key] of await transaction.list(prefix)) transaction.remove(key);
  if (state === "left") transaction.event({ type: "leftGroup", group: membership.id });
  else transaction.event({ type: "removed", group: membership.id, ...(removedBy && { by: removedBy }) });
}
