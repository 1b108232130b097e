// Changes to a group that wait for this device's next commits, and which member makes a change first.

import type { Change } from "../mls/changes.js";
import type { Permission } from "../mls/permissions.js";
import type { Transaction } from "../store/ledger.js";
import { changePrefix, inGroup, type Key } from "../store/record-keys.js";
import type { Membership } from "./membership.js";

type Judge = (change: Change) => boolean;

/** The most changes of one group that wait for their commits. Others may cause half of them. */
const maxChanges = 1_000;
/** The member with the lowest leaf acts for all. After this time, others do. */
export const standInMillis = 5_000;

/** Stores a change. The group's commit loop carries it out once the transaction is committed. */
export function wantChange(transaction: Transaction, membership: Membership, change: Change): Key<Change> {
  return transaction.add(inGroup(changePrefix, membership.id), change).key;
}

/**
 * Stores a change that somebody else has caused, in place of an earlier one of theirs that this device's user did not ask for. No more wait than
 * `share` has room for, so somebody who causes many takes no room from others. Returns whether it is stored.
 */
export async function wantOnce(
  transaction: Transaction,
  membership: Membership,
  { change, isSame, share }: { change: Change; isSame: Judge; share?: { isOf: Judge; room: number } },
): Promise<boolean> {
  const waiting = await transaction.readAll(inGroup(changePrefix, membership.id));
  const [earlier] = waiting.find(([, one]) => isSame(one)) ?? [];
  if (earlier !== undefined) {
    transaction.set(earlier, change);
    return true;
  }
  const isFull = share !== undefined && waiting.filter(([, one]) => share.isOf(one)).length >= share.room;
  if (isFull || waiting.length >= maxChanges / 2) return false;
  wantChange(transaction, membership, change);
  return true;
}

/** Whether the limit of stored changes is reached, as happens while the relay with the slots cannot be reached. */
export async function isBusy(transaction: Transaction, membership: Membership): Promise<boolean> {
  return (await transaction.list(inGroup(changePrefix, membership.id), maxChanges)).length >= maxChanges;
}

/** Whether this device acts first: of the members whom the roles allow it, the one with the lowest leaf does. One member can be left out. */
export function actsFirst(membership: Membership, permission?: Permission, except?: number): boolean {
  const mayAct = (id: number) => id !== except && (permission === undefined || membership.may(permission, id));
  return membership.others().every(({ id }) => id > membership.view.ownLeaf || !mayAct(id));
}
