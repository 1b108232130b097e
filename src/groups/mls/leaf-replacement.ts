// Which leaf replaces an old one: a member renews its own, or comes back in its own place with a key package that was made for that.

import { concatBytes, equalBytes } from "../../protocol/encodings.js";
import { isSigned, type Member, membersOf, readIdentity, signedIdentityOf } from "./members.js";
import type { GroupView, Leaf, ProposalKind, SignedCommit } from "./mls.js";
import { areBefore, keysOf, lastKeyOf, type UserKeys } from "./user-keys.js";

/** Whether a leaf may take the place of another one of its device: as it is, or with another address or a later key of its user. */
export function mayFollow(
  old: Pick<Leaf, "identity" | "signatureKey">,
  next: Pick<Leaf, "identity" | "signatureKey">,
): boolean {
  if (equalBytes(old.identity, next.identity) && equalBytes(old.signatureKey, next.signatureKey)) return true;
  const [before, after] = [readIdentity(old.identity), readIdentity(next.identity)];
  if (before === undefined || after === undefined || !isSigned(after, next.signatureKey)) return false;
  const isSame = before.user === after.user && before.device === after.device && before.name === after.name;
  return isSame && !areBefore(keysOf(after), keysOf(before));
}

/** Whether a leaf has the address that its device receives at, and the last key and the recovery key of its user. */
export function isCurrent(
  { identity }: Pick<Leaf, "identity">,
  { address, recovery, ...keys }: UserKeys & { address: string; recovery?: { publicKey: string } | undefined },
): boolean {
  const read = readIdentity(identity);
  if (read?.address !== address || read.recovery !== recovery?.publicKey) return false;
  return lastKeyOf(read) === lastKeyOf(keys);
}

/** The content of a key package with which a device replaces its own leaf. */
export function replacementOf({ groupId }: Pick<GroupView, "groupId">, { encryptionKey }: Leaf): Uint8Array {
  return concatBytes(groupId, encryptionKey);
}

/** The leaf whose device has made this key package to come back in its place: one that was made for anything else replaces none. */
export function replacedBy(
  view: GroupView,
  { identity, signatureKey, replaces }: ProposalKind & { kind: "add" },
): number[] {
  const read = replaces && readIdentity(identity);
  if (replaces === undefined || read === undefined || !isSigned(read, signatureKey)) return [];
  const members = membersOf(view);
  return view.leaves.flatMap((leaf, at) => {
    const { isSigned: isKnown, user, device } = members[at] as Member;
    const isSame =
      isKnown && user === read.user && device === read.device && equalBytes(leaf.signatureKey, signatureKey);
    return isSame && equalBytes(replaces, replacementOf(view, leaf)) ? [leaf.index] : [];
  });
}

/** Whether no device gets a second leaf: it could be of another user, and roles and removals name devices. */
export function hasOneLeafEach(view: GroupView, { proposals }: SignedCommit): boolean {
  const removed = proposals.flatMap((one) => (one.kind === "remove" ? [one.leaf] : []));
  const kept = membersOf(view).flatMap(({ id, isSigned, device }) =>
    isSigned && !removed.includes(id) ? [device] : [],
  );
  const added = proposals.flatMap((one) => (one.kind === "add" ? (signedIdentityOf(one)?.device ?? []) : []));
  return new Set(added).size === added.length && !added.some((device) => kept.includes(device));
}
