// What a commit may change of what all members know about the group: its name, invitations, bans, and when messages disappear.

import { equalBytes } from "../../protocol/encodings.js";
import { allowsBans, newBansIn } from "./bans.js";
import { encodeGroupContext, type GroupContext, readGroupContext } from "./group-context.js";
import { allowsInvitations } from "./invitations.js";

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
  return (
    (look(next) === look(old) || can("rename")) &&
    allowsBans([old, next], { can, gone }) &&
    allowsInvitations([old, next], { mayInvite: can("invite"), user, banned: newBansIn(old, next) }) &&
    (disappearSeconds === old.disappearSeconds || can("setDisappearing")) &&
    // Nobody can come into a direct chat.
    (direct === undefined || invitations.length === 0)
  );
}
