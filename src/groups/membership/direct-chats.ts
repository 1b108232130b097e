// Direct chats: one group of two users, which both find again. If both create one at the same time, both use the one with the lower id.

import { directUserIn, directUsersOf } from "../mls/direct-chat-users.js";
import { type Member, membersOf } from "../mls/members.js";
import type { GroupView } from "../mls/mls.js";
import type { Membership } from "./membership.js";

/** Whether a direct chat has somebody else in it, or this user is none of the two. Its Welcome is refused. */
export function isFalseDirectChat(view: GroupView): boolean {
  return directUsersOf(view) !== undefined && directUserIn(view) === undefined;
}

/** The other user of a direct chat that this device takes part in. */
export function directUserOf(membership: Membership): string | undefined {
  return membership.isFollowed ? directUserIn(membership.view) : undefined;
}

/** A direct chat that one of the user's devices has created and this one has not accepted yet. Offers of a lost device do not count. */
export function directChatOffered(memberships: Iterable<Membership>, user: string): Membership | undefined {
  return [...memberships].find((one) => {
    if (!one.isActive || one.isAccepted || directUserIn(one.view) !== user) return false;
    const by = one.view.leaves.filter(({ index }) => index === one.invitedBy?.id);
    return one.core.users.outdatedIn(by, user) === 0;
  });
}

/** Whether the other user is in it, too. */
export function isShared(membership: Membership): boolean {
  const user = directUserOf(membership);
  return user !== undefined && membersOf(membership.view).some((one) => one.user === user);
}

/** The direct chat that counts with a user: one with their last key comes first, then one that both are in, then the one with the lowest id. */
export function directChatWith(memberships: Iterable<Membership>, user: string): Membership | undefined {
  const outdated = ({ core, view }: Membership) => core.users.outdatedIn(view.leaves, user);
  const order = (one: Membership) => `${outdated(one)} ${isShared(one) ? 0 : 1} ${one.id}`;
  const all = [...memberships].filter((one) => directUserOf(one) === user);
  return all.sort((one, other) => (order(one) < order(other) ? -1 : 1))[0];
}

/** The direct chat in which the same two users continue, if it is another one. */
export function continuedIn(memberships: Iterable<Membership>, membership: Membership): string | undefined {
  const user = directUserOf(membership);
  const chat = user === undefined ? undefined : directChatWith(memberships, user);
  return chat === membership ? undefined : chat?.id;
}

/** The devices of a user in groups that this device takes part in. */
export function membersWith(memberships: Iterable<Membership>, user: string): Member[] {
  const isOf = (one: Member) => one.isSigned && one.user === user && one.address !== "";
  return [...memberships].flatMap((one) => (one.isFollowed ? one.members().filter(isOf) : []));
}
