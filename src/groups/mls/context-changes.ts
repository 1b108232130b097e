// What a commit may change of what all members know about the group: its name, invitations, bans, and when messages disappear.

import { equalBytes } from "../../protocol/encodings.js";
import { allowsBans, newBansIn } from "./bans.js";
import { encodeGroupContext, type GroupContext, readGroupContext } from "./group-context.js";
import { type Invitation, maxInvitationsOfUser } from "./invitations.js";

interface ContextChange {
  can(permission: "invite" | "remove" | "rename" | "setDisappearing"): boolean;
  /** The committer's. */
  user: string;
  /** The members whom the same commit removes. */
  gone: readonly string[];
}

export function allowsContext(
  [before, after]: [Uint8Array | undefined, Uint8Array],
  { can, user, gone }: ContextChange,
): boolean {
  const [old, next] = [readGroupContext(before), readGroupContext(after)];
  if (old === undefined || next === undefined) return false;
  const { name, invitations, disappearSeconds, description, picture, direct } = next;
  const written = encodeGroupContext(next);
  // Nothing else changes, and nothing stands in it that no member reads.
  const changed = { ...old, name, invitations, banned: next.banned, disappearSeconds, description, picture };
  const look = (one: GroupContext) => JSON.stringify([one.name, one.description, one.picture]);
  if (!equalBytes(written, after) || !equalBytes(written, encodeGroupContext(changed))) return false;
  const banned = newBansIn(old, next);
  const ended = old.invitations.filter(({ id }) => !invitations.some((one) => one.id === id));
  const isFrom = (test: (before: Invitation, one: Invitation) => boolean) => (one: Invitation) =>
    old.invitations.some((before) => test(before, one));
  const altered = invitations.filter((one) => !isFrom(isSame)(one));
  const made = altered.filter((one) => !isFrom(isUsed)(one));
  const areDifferent = new Set(invitations.map(({ id }) => id)).size === invitations.length;
  const isWithinShare = invitations.filter(({ by }) => by === user).length <= maxInvitationsOfUser;
  const areOwn = made.every((one) => one.by === user && !isFrom(hasIdOf)(one));
  return (
    (look(next) === look(old) || can("rename")) &&
    allowsBans([old, next], { can, gone }) &&
    (can("invite") || ended.every(({ by }) => banned.includes(by))) &&
    (altered.length === 0 || can("invite")) &&
    (made.length === 0 || (areOwn && isWithinShare)) &&
    areDifferent &&
    (disappearSeconds === old.disappearSeconds || can("setDisappearing")) &&
    // Nobody can come into a direct chat.
    (direct === undefined || invitations.length === 0)
  );
}

function hasIdOf(one: Invitation, other: Invitation): boolean {
  return one.id === other.id;
}

function isSame(one: Invitation, other: Invitation): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Somebody was added by it: nothing else of an invitation ever changes. */
function isUsed(before: Invitation, after: Invitation): boolean {
  return after.usesLeft < before.usesLeft && isSame({ ...before, usesLeft: 0 }, { ...after, usesLeft: 0 });
}
