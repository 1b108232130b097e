import type { components } from "../../generated/openapi-types.js";

/** The permissions of administrators, as the contract names them. Enforced by `http/required-permission`. */
export type Permission = components["schemas"]["AdminPermission"];

const known: Readonly<Record<Permission, "changes" | "reads">> = {
  view_metrics: "reads",
  manage_config: "changes",
  view_audit: "reads",
  verify_devices: "changes",
  block_federation: "changes",
  modify_rate_limits: "changes",
  all: "changes",
};

/** Every permission, in display order. */
export const permissions = Object.keys(known) as readonly Permission[];

/** True if the text names a permission. */
function isPermission(text: string): text is Permission {
  return Object.hasOwn(known, text);
}

/** True if the permission allows changes, and not reading alone. */
export function allowsChanges(permission: Permission): boolean {
  return known[permission] === "changes";
}

/** Parses a list of permissions, without duplicates and in display order. Throws an Error that names an unknown word. */
export function readPermissions(words: readonly string[]): Permission[] {
  const unknown = words.find((word) => !isPermission(word));
  if (unknown !== undefined)
    throw new Error(`"${unknown}" is not a permission; the permissions are ${permissions.join(", ")}`);
  return permissions.filter((permission) => words.includes(permission));
}
