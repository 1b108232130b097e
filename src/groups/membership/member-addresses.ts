// The present and earlier addresses of members.

import { isCurrent } from "../mls/leaf-replacement.js";
import { type Member, membersOf } from "../mls/members.js";
import type { GroupView } from "../mls/mls.js";
import type { Transaction } from "../store/ledger.js";
import { changePrefix, inGroup, movedKey } from "../store/record-keys.js";
import type { FollowUp } from "./follow-ups.js";
import type { Membership } from "./membership.js";
import { seal } from "./sealing.js";
import { wantChange } from "./waiting-changes.js";

/** The key package with which this device was added may be older than its address, or the keys of its user. */
export function renewAddress(transaction: Transaction, membership: Membership, view: GroupView): void {
  const own = view.leaves.find(({ index }) => index === view.ownLeaf);
  if (own !== undefined && !isCurrent(own, membership.core.account))
    wantChange(transaction, membership, { kind: "address" });
}

/** Stores a change that puts this device's address and its user's keys into its leaf, and tells the others beforehand. Commits the transaction. */
export async function moveAddress(transaction: Transaction, membership: Membership): Promise<FollowUp[]> {
  const { account } = membership.core;
  if (!membership.isFollowed) return [];
  const own = membership.view.leaves.find(({ index }) => index === membership.view.ownLeaf);
  if (own === undefined || isCurrent(own, account)) return [];
  const wanted = await membership.core.ledger.readAll(inGroup(changePrefix, membership.id));
  if (wanted.some(([, { kind }]) => kind === "address")) return [];
  wantChange(transaction, membership, { kind: "address" });
  const { address } = account;
  if (membership.members().find(({ isMe }) => isMe)?.address !== address)
    await seal(transaction, membership, { operation: "address_rotation", address });
  await transaction.commit();
  return [{ kind: "change", group: membership.id }];
}

/** Messages that were sealed for members at earlier addresses can be sent to their present ones. */
export async function noteMoves(
  transaction: Transaction,
  membership: Membership,
  [before, after]: [GroupView, GroupView],
): Promise<void> {
  const now = new Map(membersOf(after).map(({ device, address }) => [device, address]));
  for (const { isSigned, device, address } of membersOf(before)) {
    const to = now.get(device);
    if (isSigned && to !== undefined && to !== address)
      await noteMove(transaction, membership, { device, address, to });
  }
}

/** Only the device that has left an address first says where it is: another one may have taken it since, to get what still waits for the first. */
export async function noteMove(
  transaction: Transaction,
  membership: Membership,
  { device, address, to }: Pick<Member, "device" | "address"> & { to: string },
): Promise<void> {
  const key = movedKey(membership.id, address);
  const known = await transaction.read(key);
  if (known === undefined || known.by === device) transaction.set(key, { to, by: device, at: membership.nowSeconds() });
}
