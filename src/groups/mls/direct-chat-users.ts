import { contextIn, type DirectUsers, ownUserIn } from "./group-context.js";
import { membersOf } from "./members.js";
import type { GroupView } from "./mls.js";

/** The two users of a direct chat. Undefined of other groups. */
export function directUsersOf(view: GroupView): DirectUsers | undefined {
  return contextIn(view)?.direct;
}

/** Nobody but its two users can be added to a direct chat. */
export function isOpenTo(view: GroupView, user: string | undefined): boolean {
  const users = directUsersOf(view);
  return users === undefined || users.includes(user ?? "");
}

/** The other user of a direct chat. Undefined of other groups, and if anybody else is in it: its founder may have added them before. */
export function directUserIn(view: GroupView): string | undefined {
  const users = directUsersOf(view);
  const own = ownUserIn(view);
  if (users === undefined || !membersOf(view).every(({ user }) => users.includes(user))) return undefined;
  return users.find((user) => user !== own);
}
