// The permissions extension of a group (specification, "Group extensions"). It is part of the MLS state, so every member
// checks every change; the relay never sees it.

import { utf8 } from "../../protocol/encodings.js";
import { parseDeviceId } from "../../protocol/identifiers.js";
import { demandCount, demandObject, demandParsed, MalformedError, parseJsonObject } from "../runtime/json-shape.js";

/** The MLS extension type. */
export const groupPermissionsType = 0xf000;

/** Flags of the 64-bit set. Bits without a name here are kept: later versions may use them. */
export const permissionFlags = {
  SEND_MESSAGES: 1n << 0n,
  INVITE_MEMBERS: 1n << 10n,
  REMOVE_MEMBERS: 1n << 11n,
  MANAGE_ROLES: 1n << 20n,
  /** Passes all checks. */
  ADMINISTRATOR: 1n << 63n,
} as const;

export type PermissionName = keyof typeof permissionFlags;

export interface GroupPermissions {
  /** Flag sets by device id. */
  devicePermissions: ReadonlyMap<string, bigint>;
  /** Device id. It never changes. */
  founder: string;
  /** Incremented with each change. */
  version: number;
  /** Unix seconds. */
  lastUpdatedAt: number;
  /** Device id. */
  lastUpdatedBy: string;
}

const largestSet = (1n << 64n) - 1n;

/** The flag set of the named permissions. */
export function flagsOf(...names: PermissionName[]): bigint {
  return names.reduce((flags, name) => flags | permissionFlags[name], 0n);
}

/** Whether a flag set has a permission, directly or through ADMINISTRATOR. */
export function allows(flags: bigint, name: PermissionName): boolean {
  return ((flags & permissionFlags.ADMINISTRATOR) | (flags & permissionFlags[name])) !== 0n;
}

/** Whether a device has a permission. A device that the group does not list has none. */
export function mayDevice(permissions: GroupPermissions, deviceId: string, name: PermissionName): boolean {
  return allows(permissions.devicePermissions.get(deviceId) ?? 0n, name);
}

/** The permissions of a new group, whose founder is its administrator. */
export function foundGroupPermissions(founder: string, nowSeconds: number): GroupPermissions {
  const devicePermissions = new Map([[founder, permissionFlags.ADMINISTRATOR]]);
  return { devicePermissions, founder, version: 1, lastUpdatedAt: nowSeconds, lastUpdatedBy: founder };
}

/** The permissions after `by` has set the flags of a device; null removes all. Throws if `by` may not do so. */
export function changePermissions(
  permissions: GroupPermissions,
  change: { by: string; deviceId: string; flags: bigint | null; nowSeconds: number },
): GroupPermissions {
  const devicePermissions = new Map(permissions.devicePermissions);
  if (change.flags === null) devicePermissions.delete(change.deviceId);
  else devicePermissions.set(change.deviceId, checkSet(change.flags));
  const next = {
    ...permissions,
    devicePermissions,
    version: permissions.version + 1,
    lastUpdatedAt: change.nowSeconds,
    lastUpdatedBy: change.by,
  };
  const problem = problemOfChange(permissions, next);
  if (problem !== undefined) throw new Error(problem);
  return next;
}

/**
 * Checks a change in a commit and returns what is wrong with it, if anything. The founder must stay the same, the
 * version must rise by one, and the author must be allowed to manage roles. Nobody can give or remove a permission that
 * they do not have.
 */
export function problemOfChange(old: GroupPermissions, next: GroupPermissions): string | undefined {
  if (next.founder !== old.founder) return "the founder of a group cannot be changed";
  if (next.version !== old.version + 1) return `version ${next.version} does not follow ${old.version}`;
  const own = old.devicePermissions.get(next.lastUpdatedBy) ?? 0n;
  if (!allows(own, "MANAGE_ROLES")) return `${next.lastUpdatedBy} may not manage roles`;
  if ((own & permissionFlags.ADMINISTRATOR) !== 0n) return undefined;
  const devices = new Set([...old.devicePermissions.keys(), ...next.devicePermissions.keys()]);
  const beyond = [...devices].find((device) => {
    const changed = (old.devicePermissions.get(device) ?? 0n) ^ (next.devicePermissions.get(device) ?? 0n);
    return (changed & ~own) !== 0n;
  });
  return beyond === undefined
    ? undefined
    : `${next.lastUpdatedBy} changes a permission of ${beyond} that it does not have itself`;
}

/** The extension's content: JSON with flag sets as 16 hex digits, because a JSON number cannot hold 64 bits. */
export function encodeGroupPermissions(permissions: GroupPermissions): Uint8Array {
  const sets = [...permissions.devicePermissions].sort(([a], [b]) => (a < b ? -1 : 1));
  return utf8(
    JSON.stringify({
      device_permissions: Object.fromEntries(sets.map(([device, flags]) => [device, encodeSet(flags)])),
      founder: permissions.founder,
      version: permissions.version,
      last_updated_at: permissions.lastUpdatedAt,
      last_updated_by: permissions.lastUpdatedBy,
    }),
  );
}

/** Reads the extension's content. Throws MalformedError. */
export function decodeGroupPermissions(content: Uint8Array): GroupPermissions {
  const value = parseJsonObject(new TextDecoder().decode(content), "the permissions extension");
  const sets = Object.entries(demandObject(value["device_permissions"], "device_permissions"));
  return {
    devicePermissions: new Map(
      sets.map(([device, flags]) => [
        demandParsed(device, parseDeviceId, "a device id"),
        demandParsed(flags, decodeSet, "a flag set"),
      ]),
    ),
    founder: demandParsed(value["founder"], parseDeviceId, "founder"),
    version: demandCount(value["version"], "version"),
    lastUpdatedAt: demandCount(value["last_updated_at"], "last_updated_at"),
    lastUpdatedBy: demandParsed(value["last_updated_by"], parseDeviceId, "last_updated_by"),
  };
}

function encodeSet(flags: bigint): string {
  return checkSet(flags).toString(16).padStart(16, "0");
}

function decodeSet(text: string): bigint | undefined {
  return /^[0-9a-f]{16}$/.test(text) ? BigInt(`0x${text}`) : undefined;
}

function checkSet(flags: bigint): bigint {
  if (flags < 0n || flags > largestSet) throw new MalformedError("a flag set has 64 bits");
  return flags;
}
