// What this device wants to change in a group. A change is stored before the call that wants it goes on, and is carried out by a commit, also after
// a restart.

import type { ErrorName } from "../../client/index.js";
import { equalBytes } from "../../protocol/encodings.js";
import type { StoredPicture } from "../encoding/picture-format.js";
import { isBanned, withBanned, withoutBans } from "./bans.js";
import { encodeGroupContext, type GroupContext, groupContextType } from "./group-context.js";
import { demandRoom } from "./group-size.js";
import { countingOf, type Invitation, withInvitation } from "./invitations.js";
import { membersOf, userKeysOf } from "./members.js";
import type { GroupView, Change as MlsChange } from "./mls.js";
import { type Permission, permissionsType, withMembers, withRole } from "./permissions.js";
import { areBefore } from "./user-keys.js";

export type Change =
  | {
      kind: "add";
      addresses: string[];
      /** The users who must be at these addresses, as far as the application knows them. */
      users?: Record<string, string>;
      claimId: Uint8Array;
      /** Present once the key packages were claimed. */
      joiners?: Joiner[];
      refused?: Refused[];
      /** Of addresses whose key packages the relay does not give out now. */
      waits?: Record<string, Wait>;
      /** When an address had to wait first. */
      sinceMillis?: number;
      notBeforeMillis?: number;
    }
  | {
      kind: "remove";
      members: { leaf: number; signatureKey: Uint8Array }[];
      /** Users whom no link lets in again. Users who left are not included. */
      banned?: string[];
      /** In place of a disputed commit of theirs. */
      isReplacement?: true;
      /** Only if they still have an earlier key of the user than this device. */
      isOutdated?: true;
      notBeforeMillis?: number;
    }
  | { kind: "unban"; user: string }
  | { kind: "rename"; name: string }
  /** What is missing stays; null removes it. `replaces` is the address of the only picture that it replaces: the same one, which ends soon. */
  | { kind: "describe"; description?: string | null; picture?: StoredPicture | null; replaces?: string }
  /** `seconds` is missing: messages stay. */
  | { kind: "disappear"; seconds?: number }
  /** This device's leaf gets the address that it receives at, and the last key and the recovery key of its user. */
  | { kind: "address" }
  /** `permissions` is missing: the role of everyone. */
  | { kind: "role"; user: string; permissions?: readonly Permission[] }
  | { kind: "invite"; invitation: Invitation }
  | { kind: "revoke"; invitation: string }
  /** Adds somebody by an invitation. */
  | { kind: "admit"; invitation: string; joiner: Joiner; isApproved?: boolean; notBeforeMillis?: number }
  /** Adds a member again that has lost the group, in place of its old leaf; `isNew`: a new device of a user who has lost all others. */
  | { kind: "readmit"; joiner: Joiner; user: string; isNew?: boolean; notBeforeMillis?: number }
  /** Seals a path secret of a commit for a member that cannot use it. It needs no commit. */
  | { kind: "repair"; epoch: number; leaf: number; notBeforeMillis: number }
  /** Gives the leaf another key, if it still has this one. */
  | { kind: "renew"; key: Uint8Array };

/** The permissions that it needs. */
export const permissionFor: Partial<Record<Change["kind"], Permission>> = {
  add: "invite",
  remove: "remove",
  rename: "rename",
  describe: "rename",
  disappear: "setDisappearing",
  role: "manageRoles",
  invite: "invite",
  revoke: "invite",
  admit: "invite",
};

/** An address that is tried again. */
export interface Wait {
  error: Refused["error"];
  atMillis: number;
  pauseMillis: number;
}

export interface Joiner {
  address: string;
  device: string;
  keyPackage: Uint8Array;
  initKey: Uint8Array;
  user: string;
  /** The epoch of the group that it knows: it has asked by the epoch's door. */
  sinceEpoch?: number;
  /** The same, as a person with a link says. */
  saidEpoch?: number;
}

/**
 * Why somebody could not be added. WRONG_IDENTITY: the relay gave a key package of another address, or one that its user has not signed. WRONG_USER:
 * it is of another user than the application expects, or than this device has added by this address before, or its user has replaced the key that has signed it. Their relay, or somebody on the way,
 * may have replaced it.
 */
export interface Refused {
  address: string;
  error: ErrorName | "WRONG_IDENTITY" | "WRONG_USER";
}

/** Some addresses could not be added. All others were. */
export class UnreachableError extends Error {
  readonly refused: readonly Refused[];

  constructor(refused: readonly Refused[]) {
    super(`not added: ${refused.map(({ address, error }) => `${address} (${error})`).join(", ")}`);
    this.name = "UnreachableError";
    this.refused = refused;
  }
}

export interface Plan {
  change: MlsChange;
  joiners: Joiner[];
}

interface Situation {
  view: GroupView;
  context: GroupContext;
  nowMillis: number;
  /** What this device's credential should contain. */
  identityFor(signatureKey: Uint8Array): Uint8Array;
}

/** What the commit of a change contains; undefined if the group is so already. */
export function planOf(change: Change, situation: Situation): Plan | undefined {
  const plan = withoutRoles(change, situation);
  if (plan === undefined) return undefined;
  const { view, nowMillis } = situation;
  demandRoom(view, { joining: plan.joiners, removed: plan.change.remove ?? [] });
  const isReplacement = change.kind === "remove" && change.isReplacement === true;
  const members = { removed: plan.change.remove ?? [], added: plan.joiners, isReplacement };
  const roles = withMembers(view, members, nowMillis);
  if (roles === undefined) return plan;
  return {
    ...plan,
    change: { ...plan.change, extensions: new Map([...(plan.change.extensions ?? []), [permissionsType, roles]]) },
  };
}

function withoutRoles(change: Change, situation: Situation): Plan | undefined {
  const { view, context, nowMillis } = situation;
  switch (change.kind) {
    case "address": {
      const renewed = withOwnLeaf([], situation);
      return renewed.identity && { change: renewed, joiners: [] };
    }
    case "add": {
      const devices = new Set(membersOf(view).map(({ device }) => device));
      const joiners = (change.joiners ?? []).filter(({ device }) => !devices.has(device));
      if (joiners.length === 0) return undefined;
      const add = joiners.map(({ keyPackage }) => keyPackage);
      const back = context.banned.filter((user) => joiners.some((joiner) => joiner.user === user));
      const { change: allowed } = back.length === 0 ? { change: {} } : inContext(withoutBans(context, back));
      return { change: { ...allowed, add }, joiners };
    }
    case "remove": {
      const remove = change.members.flatMap(({ leaf, signatureKey }) => {
        const found = view.leaves.find(({ index }) => index === leaf);
        const isSame = found?.signatureKey.every((byte, at) => byte === signatureKey[at]);
        const isMeant = !change.isOutdated || (found && areBefore(userKeysOf(found), ownKeysIn(situation)));
        return isSame && isMeant && leaf !== view.ownLeaf ? [leaf] : [];
      });
      const staying = membersOf(view).filter(({ id }) => !remove.includes(id));
      const banned = (change.banned ?? []).filter((user) => !staying.some((one) => one.user === user));
      const next = banned.every((user) => context.banned.includes(user))
        ? undefined
        : inContext(withBanned(context, banned));
      if (remove.length === 0) return next;
      const members = membersOf(view);
      const own = members.find(({ isMe }) => isMe)?.user;
      const isOwn = members.some(({ id, user }) => own !== "" && user === own && remove.includes(id));
      return { change: { ...next?.change, ...(isOwn ? withOwnLeaf(remove, situation) : { remove }) }, joiners: [] };
    }
    case "unban":
      return isBanned(context, change.user) ? inContext(withoutBans(context, [change.user])) : undefined;
    case "role":
      return inPermissions(withRole(view, { ...change, permissions: change.permissions, nowMillis }));
    case "rename":
      return context.name === change.name ? undefined : inContext({ ...context, name: change.name });
    case "describe": {
      const { description = context.description, picture = context.picture } = change;
      const isOver = change.replaces !== undefined && change.replaces !== context.picture?.reference.url;
      if (isOver) return undefined;
      const next = { ...context, description: description ?? undefined, picture: picture ?? undefined };
      return equalBytes(encodeGroupContext(next), encodeGroupContext(context)) ? undefined : inContext(next);
    }
    case "disappear":
      return context.disappearSeconds === change.seconds
        ? undefined
        : inContext({ ...context, disappearSeconds: change.seconds });
    case "invite":
      return context.invitations.some(({ id }) => id === change.invitation.id)
        ? undefined
        : inContext({ ...context, invitations: withInvitation(countingOf(context, nowMillis), change.invitation) });
    case "revoke":
      return context.invitations.some(({ id }) => id === change.invitation)
        ? inContext({ ...context, invitations: context.invitations.filter(({ id }) => id !== change.invitation) })
        : undefined;
    case "admit": {
      const invitation = context.invitations.find(({ id }) => id === change.invitation);
      const { joiner, isApproved } = change;
      const isMember = membersOf(view).some(({ device }) => device === joiner.device);
      if (isBanned(context, joiner.user) && !isApproved) return undefined;
      if (invitation === undefined || invitation.expiresAtSeconds <= nowMillis / 1000 || isMember) return undefined;
      const used = { ...invitation, usesLeft: invitation.usesLeft - 1 };
      const others = context.invitations.filter((one) => one !== invitation);
      const next = { ...context, invitations: used.usesLeft > 0 ? [...others, used] : others };
      return {
        change: { ...inContext(withoutBans(next, [joiner.user])).change, add: [joiner.keyPackage] },
        joiners: [joiner],
      };
    }
    case "repair":
      return undefined;
    case "renew": {
      const own = view.leaves.find(({ index }) => index === view.ownLeaf);
      return own && equalBytes(own.encryptionKey, change.key) ? { change: {}, joiners: [] } : undefined;
    }
    case "readmit": {
      const { joiner, user, isNew } = change;
      const own = membersOf(view).filter((one) => one.user === user);
      const old = own.find(({ device, isMe }) => device === joiner.device && !isMe);
      if (isNew ? own.length === 0 || old !== undefined : old === undefined) return undefined;
      return { change: { ...(old && { remove: [old.id] }), add: [joiner.keyPackage] }, joiners: [joiner] };
    }
  }
}

function ownKeysIn({ view, identityFor }: Situation): string[] {
  const own = view.leaves.find(({ index }) => index === view.ownLeaf);
  return own ? userKeysOf({ ...own, identity: identityFor(own.signatureKey) }) : [];
}

/**
 * The removal of leaves, with this device's leaf as it should be: so no device of the user that has an earlier key can bring itself back in between. A device of the user
 * with a key that does not follow goes, too.
 */
function withOwnLeaf(remove: readonly number[], situation: Situation): MlsChange {
  const { view, identityFor } = situation;
  const own = view.leaves.find(({ index }) => index === view.ownLeaf);
  const identity = own && identityFor(own.signatureKey);
  if (identity === undefined || equalBytes(identity, own?.identity ?? identity)) return { remove };
  const keys = ownKeysIn(situation);
  const isForeign = (of: string[]) => of[0] === keys[0] && !keys.includes(of.at(-1) as string) && !areBefore(keys, of);
  const foreign = view.leaves.filter((leaf) => leaf !== own && isForeign(userKeysOf(leaf)));
  // The first that a commit has brought counts. Until the devices have agreed on a key, this one keeps its leaf.
  if (own !== undefined && foreign.some((leaf) => areBefore(userKeysOf(own), userKeysOf(leaf)))) return { remove };
  return { identity, remove: [...new Set([...remove, ...foreign.map(({ index }) => index)])] };
}

function inContext(context: GroupContext): Plan {
  return { change: { extensions: new Map([[groupContextType, encodeGroupContext(context)]]) }, joiners: [] };
}

function inPermissions(content: Uint8Array | undefined): Plan | undefined {
  return content && { change: { extensions: new Map([[permissionsType, content]]) }, joiners: [] };
}

/** When a change may be carried out. */
export function dueAt(change: Change): number {
  return "notBeforeMillis" in change ? (change.notBeforeMillis ?? 0) : 0;
}
