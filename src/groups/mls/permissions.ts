// Who may do what in a group: the permissions extension of the MLS group context. Every member evaluates each commit by the group as it was
// before it, so all of them refuse the same ones, and the slot's next attempt is free.

import { equalBytes, utf8 } from "../../protocol/encodings.js";
import { allowsContext } from "./context-changes.js";
import { isOpenTo } from "./direct-chat-users.js";
import { groupContextType, requiredCapabilitiesType } from "./group-context.js";
import { keepsGroupSize } from "./group-size.js";
import { leavesAddressesAlone } from "./leaf-addresses.js";
import { hasOneLeafEach, mayFollow, replacedBy } from "./leaf-replacement.js";
import { type Member, membersOf, signedIdentityOf } from "./members.js";
import type { GroupView, SignedCommit } from "./mls.js";
import { keepsUserKeys, mayRemoveOwn } from "./own-devices.js";
import { isRecovered } from "./recovery-signatures.js";

export const permissionsType = 0xf000;

const bits = {
  send: 0n,
  invite: 10n,
  remove: 11n,
  rename: 12n,
  setDisappearing: 13n,
  manageRoles: 20n,
  administrator: 63n,
};

/** `administrator` has all others. `invite` also adds. */
export type Permission = keyof typeof bits;

/** What is allowed to each user; `everyone` is for all who are not named. */
export interface Roles {
  everyone: Permission[];
  users: Record<string, Permission[]>;
}

/** The group's roles do not allow it. */
export class NotPermittedError extends Error {
  /** The required permission; missing if it depends on the target. */
  readonly permission: Permission | undefined;

  constructor(permission?: Permission, text?: string) {
    const needed = permission === undefined ? "" : `: it needs the permission ${permission}`;
    super(text ?? `the roles of the group do not allow this${needed}`);
    this.name = "NotPermittedError";
    this.permission = permission;
  }
}

interface Stored {
  founder: string;
  version: number;
  last_updated_at: number;
  last_updated_by: string;
  /** 64 bits in hex, by device. */
  device_permissions: Record<string, string>;
  /** Of devices that are not named. */
  default_permissions: string;
}

const names = Object.keys(bits) as Permission[];
/** Anyone with a link may become a member, so members do not remove each other unless the founder wishes it. */
const usual: readonly Permission[] = ["send", "invite", "rename"];

/** Throws a TypeError for what is no permission. */
export function flagsOf(permissions: readonly Permission[]): string {
  let flags = 0n;
  for (const one of permissions) {
    if (!(one in bits)) throw new TypeError(`there is no permission ${one}`);
    flags |= 1n << bits[one];
  }
  return flags.toString(16).padStart(16, "0");
}

function has(flags: string, permission: Permission): boolean {
  const held = BigInt(`0x${flags}`);
  return ((held >> bits.administrator) & 1n) === 1n || ((held >> bits[permission]) & 1n) === 1n;
}

function permissionsIn(flags: string): Permission[] {
  return names.filter((one) => (BigInt(`0x${flags}`) >> bits[one]) & 1n);
}

/** The founder is administrator. */
export function foundPermissions(
  founder: string,
  { nowMillis, everyone = usual }: { nowMillis: number; everyone?: readonly Permission[] | undefined },
): Uint8Array {
  const default_permissions = flagsOf(everyone);
  return encode({ ...founded(founder), last_updated_at: Math.floor(nowMillis / 1000), default_permissions });
}

function founded(founder: string): Stored {
  return {
    founder,
    version: 1,
    last_updated_at: 0,
    last_updated_by: founder,
    device_permissions: { [founder]: flagsOf(["administrator"]) },
    default_permissions: flagsOf(usual),
  };
}

function encode(stored: Stored): Uint8Array {
  return utf8(JSON.stringify(stored));
}

function read(content: Uint8Array | undefined): Stored | undefined {
  try {
    const stored = JSON.parse(new TextDecoder().decode(content)) as Stored;
    const flags = [stored.default_permissions, ...Object.values(stored.device_permissions)];
    return flags.every((one) => /^[0-9a-f]{16}$/.test(one)) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** In a group without the extension, everybody may do everything. The member who gives the first role is its administrator from then on. */
const open: Stored = {
  founder: "",
  version: 0,
  last_updated_at: 0,
  last_updated_by: "",
  device_permissions: {},
  default_permissions: flagsOf(["administrator"]),
};

function storedIn(view: GroupView): Stored {
  return read(view.extension(permissionsType)) ?? open;
}

/** All devices of a user have the user's role. A device that its user has not signed may only say that it is this one. */
function flagsOfMember({ user, isSigned }: Member, stored: Stored, members: readonly Member[]): string {
  const own = members.filter((one) => isSigned && one.isSigned && one.user === user);
  const named = own.flatMap(({ device }) => stored.device_permissions[device] ?? []);
  return named.length === 0 ? stored.default_permissions : named.reduce(joined);
}

function joined(a: string, b: string): string {
  return (BigInt(`0x${a}`) | BigInt(`0x${b}`)).toString(16).padStart(16, "0");
}

/** Whether the member with this leaf may do something. */
export function may(view: GroupView, leaf: number, permission: Permission): boolean {
  const members = membersOf(view);
  const member = members.find(({ id }) => id === leaf);
  return member !== undefined && has(flagsOfMember(member, storedIn(view), members), permission);
}

export function rolesOf(view: GroupView): Roles {
  const [stored, members] = [storedIn(view), membersOf(view)];
  const users: Roles["users"] = {};
  for (const member of members.filter(({ isSigned }) => isSigned)) {
    const isNamed = members.some(({ user, device }) => user === member.user && device in stored.device_permissions);
    if (isNamed) users[member.user] = permissionsIn(flagsOfMember(member, stored, members));
  }
  return { everyone: permissionsIn(stored.default_permissions), users };
}

/** The extension with another role of a user, or of everyone; undefined if it is so already. */
export function withRole(
  view: GroupView,
  { user, permissions, nowMillis }: { user: string; permissions: readonly Permission[] | undefined; nowMillis: number },
): Uint8Array | undefined {
  const flags = permissions && flagsOf(permissions);
  if (user === "everyone") return changed(view, { default_permissions: flags ?? flagsOf(usual) }, nowMillis);
  const stored = storedIn(view);
  const own = membersOf(view).find(({ isMe }) => isMe)?.device ?? "";
  const named = { ...(stored === open ? founded(own) : stored).device_permissions };
  for (const { device } of membersOf(view).filter((one) => one.isSigned && one.user === user)) {
    if (flags === undefined) delete named[device];
    else named[device] = flags;
  }
  return changed(view, { device_permissions: named }, nowMillis);
}

interface MemberChange {
  /** Leaf indices. */
  removed: readonly number[];
  added: readonly Pick<Member, "user" | "device">[];
  /** The members remove a user whatever the roles say: if no administrator is left, another member becomes one. */
  isReplacement?: boolean;
}

/**
 * The roles after a change of members. A role ends with the user's membership, so that nobody who comes back finds it again. It goes
 * over to another device of the user that stays.
 */
function rolesAfter(
  view: GroupView,
  { removed, added, isReplacement = false }: MemberChange,
): Stored["device_permissions"] {
  const members = membersOf(view);
  const staying = members.filter(({ id }) => !removed.includes(id));
  const present = [...staying, ...added];
  const roles = { ...storedIn(view).device_permissions };
  for (const { device, user, isSigned } of members) {
    const role = roles[device];
    const stays = present.some((one) => one.device === device && one.user === user);
    if (role === undefined || !isSigned || stays) continue;
    delete roles[device];
    const heir = staying.find((one) => one.isSigned && one.user === user)?.device;
    if (heir !== undefined) roles[heir] = joined(roles[heir] ?? role, role);
  }
  const isOld = (one: Pick<Member, "user" | "device">) =>
    members.some(({ device, user }) => device === one.device && user === one.user);
  for (const one of added) if (!isOld(one)) delete roles[one.device];
  const isLed = (some: readonly Member[]) =>
    some.some((one) => has(flagsOfMember(one, storedIn(view), members), "administrator"));
  // All compute the same: the member with the lowest leaf.
  const heir = isReplacement && isLed(members) && !isLed(staying) ? staying.find((one) => one.isSigned) : undefined;
  if (heir !== undefined) roles[heir.device] = administratorFlags;
  return roles;
}

/** The extension that a commit with this change of members must have; undefined if it stays as it is. */
export function withMembers(view: GroupView, change: MemberChange, nowMillis: number): Uint8Array | undefined {
  const roles = rolesAfter(view, change);
  return isSameRoles(roles, storedIn(view).device_permissions)
    ? undefined
    : changed(view, { device_permissions: roles }, nowMillis);
}

function isSameRoles(a: Stored["device_permissions"], b: Stored["device_permissions"]): boolean {
  return Object.keys({ ...a, ...b }).every((device) => a[device] === b[device]);
}

function changed(view: GroupView, change: Partial<Stored>, nowMillis: number): Uint8Array | undefined {
  const by = membersOf(view).find(({ isMe }) => isMe)?.device ?? "";
  const old = storedIn(view);
  const stored = old === open ? founded(by) : old;
  const next = { ...stored, ...change };
  if (JSON.stringify(next) === JSON.stringify(old)) return undefined;
  const version = old.version + 1;
  return encode({ ...next, version, last_updated_at: Math.floor(nowMillis / 1000), last_updated_by: by });
}

const kept = [requiredCapabilitiesType, groupContextType, permissionsType];

/** What a change of these extensions makes of those that must stay. */
export function extensionsWith(view: GroupView, changed: ReadonlyMap<number, Uint8Array>): Map<number, Uint8Array> {
  const present = kept.flatMap((type) => {
    const content = view.extension(type);
    return content === undefined ? [] : [[type, content] as const];
  });
  return new Map([...present, ...changed]);
}

export const administratorFlags = flagsOf(["administrator"]);

/** Whether the roles have to change when these leaves are removed. */
export function changesRolesBy(view: GroupView, change: Omit<MemberChange, "added">): boolean {
  return !isSameRoles(rolesAfter(view, { ...change, added: [] }), storedIn(view).device_permissions);
}

/**
 * Whether the group's roles allow a commit, by the group before it. The committer's signature was verified. With `given`, it replaces a disputed commit, and the committer may do
 * what these flags allow.
 */
export function isAllowed(view: GroupView, { committer, proposals, leaf }: SignedCommit, given?: string): boolean {
  if (!keepsGroupSize(view, { proposals })) return false;
  const [stored, members] = [storedIn(view), membersOf(view)];
  const me = members.find(({ id }) => id === committer);
  const old = view.leaves.find(({ index }) => index === committer);
  if (me === undefined || old === undefined || (leaf !== undefined && !mayFollow(old, leaf))) return false;
  const signed = { committer, proposals, ...(leaf && { leaf }) };
  if (!leavesAddressesAlone(view, signed) || !hasOneLeafEach(view, signed) || !keepsUserKeys(view, signed))
    return false;
  const flags = given ?? flagsOfMember(me, stored, members);
  const can = (permission: Permission) => has(flags, permission);
  const removed = proposals.flatMap((one) => (one.kind === "remove" ? [one.leaf] : []));
  const added = proposals.flatMap((one) => (one.kind === "add" ? (signedIdentityOf(one) ?? []) : []));
  const isReplacement = given !== undefined;
  const roles = rolesAfter(view, { removed, added, isReplacement });
  const mustChange = !isSameRoles(roles, stored.device_permissions);
  const isDemanded = (next: Stored | undefined) =>
    isNext(next, stored, me.device) &&
    isSameRoles(next.device_permissions, roles) &&
    next.default_permissions === stored.default_permissions;
  const written = proposals.flatMap((one) =>
    one.kind === "extensions" ? (one.extensions.get(permissionsType) ?? []) : [],
  );
  if (mustChange && !written.some((content) => isDemanded(read(content)))) return false;
  const replaced = proposals.flatMap((one) => (one.kind === "add" ? replacedBy(view, one) : []));
  const staying = members.filter(({ id }) => !removed.includes(id)).map(({ user }) => user);
  const gone = members.flatMap(({ id, user }) => (removed.includes(id) && !staying.includes(user) ? [user] : []));
  const isOwn = ({ user }: { user: string }) => me.isSigned && user === me.user;
  return proposals.every((one) => {
    if (one.kind === "add") {
      // A member that has lost the group is added in its own place, a user adds their own devices, and one who has lost them is let in by all.
      const identity = signedIdentityOf(one);
      const isAgain = replacedBy(view, one).some((leaf) => removed.includes(leaf));
      if (!isOpenTo(view, identity?.user)) return false;
      return (
        can("invite") ||
        (identity !== undefined && (isOwn(identity) || isAgain || isRecovered(view, { ...one, ...identity })))
      );
    }
    if (one.kind === "remove") {
      const old = members.find(({ id }) => id === one.leaf);
      if (old === undefined) return false;
      if (old.isSigned && replaced.includes(old.id)) return true;
      // Whatever the user's role is: a lost device has it, too.
      if (old.isSigned && isOwn(old)) return mayRemoveOwn(view, signed, old.id);
      return mayRemove(flags, flagsOfMember(old, stored, members), stored);
    }
    if (one.kind !== "extensions") return false;
    // What a change leaves out is gone, and without roles everybody might do everything.
    if (kept.some((type) => view.extension(type) !== undefined && !one.extensions.has(type))) return false;
    return [...one.extensions].every(([type, content]) => {
      const before = view.extension(type);
      if (before !== undefined && equalBytes(before, content)) return true;
      if (type === groupContextType) return allowsContext([before, content], { can, user: me.user, gone });
      if (type !== permissionsType) return false;
      const present = [...members, ...added].map(({ device }) => device);
      return mustChange ? isDemanded(read(content)) : allowsRoles([stored, read(content)], { me, present, can });
    });
  });
}

/** In a group where not everyone may remove others, only administrators remove administrators. */
function mayRemove(flags: string, old: string, { default_permissions: everyone }: Stored): boolean {
  const isProtected = has(old, "administrator") && !has(everyone, "remove");
  return has(flags, isProtected ? "administrator" : "remove");
}

/** Whether a member of another user would be left who may remove this one. */
export function canBeRemoved(view: GroupView, leaf: number): boolean {
  const [stored, members] = [storedIn(view), membersOf(view)];
  const old = members.find(({ id }) => id === leaf);
  const of = (one: Member) => flagsOfMember(one, stored, members);
  const isOfSame = (one: Member) => one === old || (one.isSigned && one.user === old?.user);
  const others = members.filter((one) => !isOfSame(one));
  return others.length === 0 || others.some((one) => old && mayRemove(of(one), of(old), stored));
}

/** Whether the roles allow one member to remove another one. */
export function mayRemoveMember(view: GroupView, { by, leaf }: { by: number; leaf: number }): boolean {
  const [stored, members] = [storedIn(view), membersOf(view)];
  const [me, old] = [by, leaf].map((index) => members.find(({ id }) => id === index));
  if (me === undefined || old === undefined) return false;
  const isOwn = me.isSigned && old.isSigned && old.user === me.user;
  if (isOwn) return mayRemoveOwn(view, { committer: by, proposals: [] }, leaf);
  return mayRemove(flagsOfMember(me, stored, members), flagsOfMember(old, stored, members), stored);
}

type Can = (permission: Permission) => boolean;

function isNext(next: Stored | undefined, old: Stored, committer: string): next is Stored {
  const founder = old === open ? committer : old.founder;
  const isLater = next?.founder === founder && next.version === old.version + 1 && next.last_updated_by === committer;
  return isLater && hasForm(next);
}

/** Nothing stands in the roles that no member reads. */
function hasForm(next: Stored): boolean {
  const { last_updated_at: at, device_permissions: named } = next;
  const areKnown = Object.keys(next).every((key) => key in open);
  return (
    areKnown && Number.isSafeInteger(at) && at >= 0 && Object.keys(named).every((one) => /^([0-9a-f]{64})?$/.test(one))
  );
}

/**
 * Only administrators change the role of an administrator, or give what they do not have. Nobody who is not in the group gets a role: each change of the context would carry it, and each proof
 * of continuity.
 */
function allowsRoles(
  [old, next]: [Stored, Stored | undefined],
  { me, present, can }: { me: Member; present: readonly string[]; can: Can },
): boolean {
  if (!isNext(next, old, me.device)) return false;
  const named = [old.device_permissions, next.device_permissions] as const;
  if (!Object.keys(named[1]).every((device) => device in named[0] || present.includes(device))) return false;
  const devices = Object.keys({ ...named[0], ...named[1] });
  const changes = [
    [old.default_permissions, next.default_permissions],
    ...devices.map((one) => [named[0][one], named[1][one]]),
  ].filter(([before, after]) => before !== after);
  return (
    can("manageRoles") &&
    changes.every(([before, after]) => {
      const isGiven = permissionsIn(after ?? next.default_permissions).every(can);
      return can("administrator") || (isGiven && !(before !== undefined && has(before, "administrator")));
    })
  );
}
