// Which leaf replaces an old one: a member renews its own, or comes back in its own place with a key package that was made for that.

import { concatBytes, equalBytes } from "../../protocol/encodings.js";
import { isSigned, type Member, membersOf, readIdentity, signedIdentityOf, userKeysOf } from "./members.js";
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

/** Whether no new leaf claims an address that another leaf has: what is sent to one member would go to another. */
export function leavesAddressesAlone(view: GroupView, { committer, proposals, leaf }: SignedCommit): boolean {
  const removed = proposals.flatMap((one) => (one.kind === "remove" ? [one.leaf] : []));
  const addressesOf = (leaves: readonly { identity: Uint8Array }[]) =>
    leaves.flatMap(({ identity }) => mailboxOf(readIdentity(identity)?.address ?? "") || []);
  const present = view.leaves.filter(({ index }) => !removed.includes(index));
  const kept = addressesOf(present.filter(({ index }) => leaf === undefined || index !== committer));
  const claimed = addressesOf([
    ...(leaf ? [leaf] : []),
    ...proposals.flatMap((one) => (one.kind === "add" ? [one] : [])),
  ]);
  return new Set(claimed).size === claimed.length && !claimed.some((address) => kept.includes(address));
}

/** The same for all spellings of an address: of its prefix with and without hyphens, of its domain in capitals, with a dot at its end, and with a port. */
function mailboxOf(address: string): string {
  const [prefix = "", domain = ""] = address.toLowerCase().split("@");
  return address && `${prefix.replaceAll("-", "")}@${domain.replace(/\.?(:[0-9]*)?$/, "")}`;
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

/** Whether a leaf has an earlier key of its user than another one of theirs: a lost device, or one that it has linked, gets no later one. */
export function isOutdated({ leaves }: GroupView, leaf: Pick<Leaf, "identity" | "signatureKey">): boolean {
  return leaves.some((other) => isBehind(leaf, other));
}

/**
 * Whether a device of a user may remove another one of theirs. One that has an earlier key may not: it would throw out those that have replaced the key because it was lost.
 */
export function mayRemoveOwn(view: GroupView, { committer, leaf }: SignedCommit, old: number): boolean {
  const [by, other] = [committer, old].map((at) => view.leaves.find(({ index }) => index === at));
  if (by === undefined || other === undefined) return false;
  const last = userKeysOf(other).at(-1) as string;
  return !isBehind(by, other) || (leaf !== undefined && userKeysOf(leaf).includes(last));
}

function isBehind(one: Pick<Leaf, "identity" | "signatureKey">, other: Leaf): boolean {
  const [keys, others] = [userKeysOf(one), userKeysOf(other)];
  return keys[0] === others[0] && areBefore(keys, others);
}

/**
 * Whether no new leaf goes back behind a key that its user has by what the group shows. A device that has not heard of it may still renew its own leaf, or come back
 * in its place. What the user's own device removes or replaces does not count: two devices may have replaced the key at the same time.
 */
export function keepsUserKeys(view: GroupView, { committer, proposals, leaf }: SignedCommit): boolean {
  const members = membersOf(view);
  const removed = proposals.flatMap((one) => (one.kind === "remove" ? [one.leaf] : []));
  const changed = leaf === undefined ? removed : [...removed, committer];
  const by = members.find(({ id }) => id === committer);
  const added = proposals.flatMap((one) => (one.kind === "add" ? [{ ...one, old: replacedBy(view, one) }] : []));
  return [...(leaf ? [{ ...leaf, old: [committer] }] : []), ...added].every(({ old, ...one }) => {
    const keys = userKeysOf(one);
    const [user] = keys;
    if (user === undefined) return true;
    const own = view.leaves.filter((_, at) => members[at]?.user === user);
    if (own.some((leaf) => old.includes(leaf.index) && userKeysOf(leaf).at(-1) === keys.at(-1))) return true;
    const counting = own.filter(({ index }) => user !== by?.user || !changed.includes(index)).map(userKeysOf);
    const longest = counting.reduce((most, of) => (of.length > most.length ? of : most), [user]);
    return keys.includes(longest.at(-1) as string);
  });
}
