// Who is removed with a member: all devices of the same user.

import { membersOf } from "./members.js";
import type { GroupView } from "./mls.js";

/** The leaf of a member to remove. The key tells whether the leaf belongs to another device by then. */
interface Removed {
  leaf: number;
  signatureKey: Uint8Array;
}

/** The leaves of the users whose members have these ids, and the users, who are banned. Of the user `own`, only the devices that are named. */
export function removalOf(
  view: GroupView,
  { ids, own }: { ids: readonly number[]; own: string },
): { members: Removed[]; banned: string[] } {
  const all = membersOf(view);
  const users = new Set(
    all.flatMap(({ id, user, isSigned }) => (ids.includes(id) && isSigned && user !== own ? [user] : [])),
  );
  const going = all.filter(({ id, user, isSigned }) => ids.includes(id) || (isSigned && users.has(user)));
  const members = view.leaves
    .filter(({ index }) => going.some(({ id }) => id === index))
    .map(({ index, signatureKey }) => ({ leaf: index, signatureKey }));
  return { members, banned: [...users] };
}
