// What the devices of one user may do to each other in a group: which of them may remove another, and which key of their user they show.

import { replacedBy } from "./leaf-replacement.js";
import { membersOf, userKeysOf } from "./members.js";
import type { GroupView, Leaf, SignedCommit } from "./mls.js";
import { areBefore } from "./user-keys.js";

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
