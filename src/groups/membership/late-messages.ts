// Messages of past epochs from senders who may no longer send: removed or unlinked devices, and members whose role has ended.

import { equalBytes } from "../../protocol/encodings.js";
import type { Member } from "../mls/members.js";
import type { Leaf } from "../mls/mls.js";
import type { Membership } from "./membership.js";

/** A message of a past epoch. */
interface Written {
  epoch: number;
  /** When the relay took it, in Unix seconds. */
  at: number;
  sender: Pick<Leaf, "signatureKey"> & { member: Member };
}

/** Tolerated delay: earlier messages of a removed or silenced member may still be on their way, and clocks differ. */
const lateMillis = 60_000;

/** Whether a removed or unlinked device wrote afterwards, in an epoch whose keys it still has. `isSilenced` judges messages of users who have left. */
export function isAfterRemoval(membership: Membership, { epoch, at, sender }: Written): boolean {
  if (!membership.isActive || epoch === membership.epoch) return false;
  const { user, device, isSigned } = sender.member;
  const members = membership.members();
  const isHere = isSigned
    ? members.some((one) => one.device === device && one.user === user)
    : membership.view.leaves.some(({ signatureKey }) => equalBytes(signatureKey, sender.signatureKey));
  const hasLeft = isSigned && !members.some((one) => one.user === user) && !membership.context.banned.includes(user);
  return !isHere && !hasLeft && isLate(membership, epoch, at);
}

/**
 * Whether somebody who may no longer write did so afterwards, in an earlier epoch. The user's present role counts, whatever signing key their leaf has
 * by now. Users who have left may write nothing.
 */
export function isSilenced(membership: Membership, { epoch, at, sender }: Written): boolean {
  if (!membership.isActive || epoch === membership.epoch || !isLate(membership, epoch, at)) return false;
  const { user, isSigned } = sender.member;
  const leaf = isSigned
    ? membership.members().find((one) => one.isSigned && one.user === user)?.id
    : membership.view.leaves.find(({ signatureKey }) => equalBytes(signatureKey, sender.signatureKey))?.index;
  return leaf === undefined || !membership.may("send", leaf);
}

function isLate(membership: Membership, epoch: number, at: number): boolean {
  return 1000 * at > membership.endedAtMillis(epoch) + lateMillis;
}
