// Who is banned from a group: which changes of the list are allowed, and how long it can be. No invitation link lets a banned user in.

import type { Invitation } from "./invitations.js";

/** The part of a group's context that bans change. */
interface WithBans {
  /** The newest last. */
  banned: string[];
  invitations: Invitation[];
}

/** The oldest ban makes way. */
export const maxBanned = 200;

/** Bans users, and ends the invitations that they have made. */
export function withBanned<Context extends WithBans>(context: Context, users: readonly string[]): Context {
  const banned = [...context.banned.filter((one) => !users.includes(one)), ...users].slice(-maxBanned);
  return { ...context, banned, invitations: context.invitations.filter(({ by }) => !users.includes(by)) };
}

export function withoutBans<Context extends WithBans>(context: Context, users: readonly string[]): Context {
  return { ...context, banned: context.banned.filter((one) => !users.includes(one)) };
}

/** Whether no invitation link lets a user in, unless a member approves. */
export function isBanned({ banned }: Pick<WithBans, "banned">, user: string): boolean {
  return banned.includes(user);
}

export function newBansIn(old: WithBans, next: WithBans): string[] {
  return next.banned.filter((one) => !old.banned.includes(one));
}

/** Whether a commit may change the bans like this. It removes the users in `gone`. */
export function allowsBans(
  [old, next]: readonly [WithBans, WithBans],
  { can, gone }: { can(permission: "invite" | "remove"): boolean; gone: readonly string[] },
): boolean {
  const added = newBansIn(old, next);
  const lifted = newBansIn(next, old);
  // A commit that banned many users who never were members could push others off the list.
  const isBan = added.every((one) => gone.includes(one)) || added.length === 1;
  const isFull = next.banned.length === maxBanned && lifted.length <= added.length;
  return (added.length === 0 || (can("remove") && isBan)) && (lifted.length === 0 || isFull || can("invite"));
}
