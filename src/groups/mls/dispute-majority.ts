// How many users must state that a commit is unusable before another one replaces it.

import { membersOf } from "./members.js";
import type { GroupView } from "./mls.js";

/** With one other user alone, there is nobody who could tell which of the two is lying. */
const minStatements = 2;

/** Whether enough users could say something of a member's commit that the group might settle it. */
export function canBeSettled(view: GroupView, committer: number): boolean {
  return usersWithout(view, committer).size >= minStatements;
}

/** Whether more than half of the users but the committer are among those with these leaves. Their statements were verified. */
export function isMajority(view: GroupView, { committer, leaves }: { committer: number; leaves: readonly number[] }) {
  const users = usersWithout(view, committer);
  const saying = membersOf(view).flatMap(({ id, user }) => (leaves.includes(id) && users.has(user) ? [user] : []));
  const count = new Set(saying).size;
  return count >= minStatements && 2 * count > users.size;
}

function usersWithout(view: GroupView, committer: number): Set<string> {
  const members = membersOf(view);
  const own = members.find(({ id }) => id === committer)?.user;
  return new Set(members.flatMap(({ isSigned, user }) => (isSigned && user !== own ? [user] : [])));
}
