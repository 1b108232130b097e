// How many leaves a group has. A text goes to the address of each leaf, which the member who adds the leaf can choose: without a bound, a member could have all others
// send to a third party, and pay for it.

import { membersOf, signedIdentityOf } from "./members.js";
import type { GroupView, SignedCommit } from "./mls.js";

/** A longer list of new members takes several commits. */
export const maxAddedAtOnce = 256;
const maxLeaves = 4_096;
/** A user has this many devices in a group. Leaves whose user has not signed them count as those of one user. */
const maxLeavesOfUser = 32;

/** The group, or one of its users, has no room for further devices. */
export class GroupFullError extends Error {
  constructor(what: string) {
    super(`the group has no room: ${what}`);
    this.name = "GroupFullError";
  }
}

interface Joining {
  /** Of each leaf that joins; empty if nobody has signed it. */
  joining: readonly { user: string }[];
  /** Leaf indices. */
  removed: readonly number[];
}

/** Throws GroupFullError. */
export function demandRoom(view: GroupView, { joining, removed }: Joining): void {
  if (joining.length === 0) return;
  const staying = membersOf(view).filter(({ id }) => !removed.includes(id));
  const isGrowing = joining.length > removed.length;
  if (joining.length > maxAddedAtOnce) throw new GroupFullError(`a commit adds at most ${maxAddedAtOnce} devices`);
  if (isGrowing && staying.length + joining.length > maxLeaves)
    throw new GroupFullError(`a group has at most ${maxLeaves} devices`);
  const counts = countsOf([...staying, ...joining]);
  if (joining.some(({ user }) => (counts.get(user) ?? 0) > maxLeavesOfUser))
    throw new GroupFullError(`a user has at most ${maxLeavesOfUser} devices in a group`);
}

/** Whether a commit leaves the group within its bounds. */
export function keepsGroupSize(view: GroupView, { proposals }: Pick<SignedCommit, "proposals">): boolean {
  const added = proposals.flatMap((one) => (one.kind === "add" ? [one] : []));
  // Signatures are checked of no more than may be added.
  if (added.length > maxAddedAtOnce) return false;
  const removed = proposals.flatMap((one) => (one.kind === "remove" ? [one.leaf] : []));
  const joining = added.map((one) => ({ user: signedIdentityOf(one)?.user ?? "" }));
  try {
    demandRoom(view, { joining, removed });
    return true;
  } catch {
    return false;
  }
}

/** Whether anybody could have made this group by commits that all its members take. */
export function isWithinBounds(view: GroupView): boolean {
  const members = membersOf(view);
  return members.length <= maxLeaves && [...countsOf(members).values()].every((count) => count <= maxLeavesOfUser);
}

function countsOf(members: readonly { user: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { user } of members) counts.set(user, (counts.get(user) ?? 0) + 1);
  return counts;
}
