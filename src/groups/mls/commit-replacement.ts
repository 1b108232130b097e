// Commits that count for all and that some members cannot use, because a ciphertext does not open, or leads to other keys, or the confirmation tag is wrong. Only
// those members see it, so they say so, in signed statements. With statements of more than half of the users, another commit in a later attempt of the epoch's slot
// replaces the first one, and removes the user who made it. spec/decisions/0291-disputed-commits.md says why.

import { decodeBase64, decodeHex, encodeBase64, equalBytes, utf8 } from "../../protocol/encodings.js";
import { withBanned } from "./bans.js";
import { isMajority } from "./dispute-majority.js";
import { type Claim, isStatement, readStatement } from "./dispute-statements.js";
import { encodeGroupContext, groupContextType, readGroupContext } from "./group-context.js";
import { deviceKeyOf, memberOf, membersOf } from "./members.js";
import type { GroupView, SignedCommit } from "./mls.js";
import { administratorFlags, changesRolesBy, isAllowed, permissionsType } from "./permissions.js";

/** Why a commit replaces another one. */
export interface Grounds extends Omit<Claim, "isUsable"> {
  statements: { leaf: number; signature: string }[];
}

/** The leaves of all devices of the user who made a commit. */
export function leavesOfUser(view: GroupView, committer: number): number[] {
  const members = membersOf(view);
  const one = members.find(({ id }) => id === committer);
  return members.flatMap(({ id, user, isSigned }) =>
    id === committer || (isSigned && one?.isSigned && user === one.user) ? [id] : [],
  );
}

/** The keys of each user's devices, for the attempts of which each user has one. A device that its user has not signed has none. */
export function takersOf(view: GroupView): Uint8Array[][] {
  const users = new Map<string, Map<string, Uint8Array>>();
  for (const leaf of view.leaves) {
    const { isSigned, user, device } = memberOf(leaf, view);
    const key = decodeHex(deviceKeyOf(leaf) ?? "");
    if (isSigned && key !== undefined) users.set(user, (users.get(user) ?? new Map()).set(device, key));
  }
  return [...users.values()].map((keys) => [...keys.values()]);
}

/** Whether these grounds prove that more than half of the users cannot use the commit, and the signed one does nothing but remove its author. */
export function mayReplace(view: GroupView, signed: SignedCommit, { statements, ...claim }: Grounds): boolean {
  const { committer } = claim;
  const stated = statements.filter((one) => isStatement(view, { ...claim, ...one, isUsable: false }));
  if (!isMajority(view, { committer, leaves: stated.map(({ leaf }) => leaf) })) return false;
  const leaves = leavesOfUser(view, committer);
  const removed = signed.proposals.flatMap((one) => (one.kind === "remove" ? [one.leaf] : []));
  const isSameSet = removed.length === leaves.length && leaves.every((leaf) => removed.includes(leaf));
  if (!isSameSet || !isAllowed(view, signed, administratorFlags)) return false;
  return signed.proposals.every((one) => {
    if (one.kind !== "extensions") return one.kind === "remove";
    return [...one.extensions].every(([type, content]) => {
      const before = view.extension(type);
      if (before !== undefined && equalBytes(before, content)) return true;
      // `isAllowed` has checked that roles change only as the removal demands.
      if (type === permissionsType) return changesRolesBy(view, { removed, isReplacement: true });
      const expected = type === groupContextType ? contextWithout(view, committer) : undefined;
      return expected !== undefined && equalBytes(expected, content);
    });
  });
}

/** The group's context after a user was removed for a commit. */
function contextWithout(view: GroupView, committer: number): Uint8Array | undefined {
  const context = readGroupContext(view.extension(groupContextType));
  const author = membersOf(view).find(({ id }) => id === committer);
  return context && author?.isSigned ? encodeGroupContext(withBanned(context, [author.user])) : undefined;
}

/** What an envelope in a slot has: a commit, and the grounds on which it replaces another one. */
export interface SlotContent {
  /** An MLSMessage with a PublicMessage. */
  commit: Uint8Array;
  grounds?: Grounds;
}

/** An MLSMessage begins with a zero (RFC 9420, section 6). */
const brace = 0x7b;

/** Throws if a replacement has another form. */
export function readSlotContent(bytes: Uint8Array): SlotContent {
  if (bytes[0] !== brace) return { commit: bytes };
  const { replacement, commit, committer, statements } = JSON.parse(new TextDecoder().decode(bytes));
  const made = decodeBase64(replacement);
  if (made === undefined || !Array.isArray(statements)) throw new Error("the replacement has another form");
  const read = statements.map((one) => readStatement({ ...one, commit, committer, isUsable: false }));
  if (!read.every((one) => one !== undefined)) throw new Error("a statement has another form");
  return {
    commit: Uint8Array.from(made),
    grounds: { commit, committer, statements: read.map(({ leaf, signature }) => ({ leaf, signature })) },
  };
}

export function writeReplacement(commit: Uint8Array, grounds: Grounds): Uint8Array {
  return utf8(JSON.stringify({ replacement: encodeBase64(commit), ...grounds }));
}
