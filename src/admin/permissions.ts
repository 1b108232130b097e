import type { components } from "../../generated/openapi-types.js";

/** What an administrator may do; the words are the contract's. */
export type Permission = components["schemas"]["AdminPermission"];
export type AdminLevel = components["schemas"]["AdminLevel"];

const known: Readonly<Record<Permission, "changes" | "reads">> = {
  view_metrics: "reads",
  manage_config: "changes",
  view_audit: "reads",
  verify_devices: "changes",
  block_federation: "changes",
  modify_rate_limits: "changes",
  all: "changes",
};

/** Every permission, in the order in which they are shown. */
export const permissions = Object.keys(known) as readonly Permission[];

export function isPermission(text: string): text is Permission {
  return Object.hasOwn(known, text);
}

/** `admin` holds `all`; a `moderator` may change something; a `viewer` may read at most. */
export function adminLevel(held: readonly Permission[]): AdminLevel {
  if (held.includes("all")) return "admin";
  return held.some((permission) => known[permission] === "changes") ? "moderator" : "viewer";
}

/** The permissions of a list of words, each once, in their usual order. Throws an Error that names an unknown word. */
export function readPermissions(words: readonly string[]): Permission[] {
  const unknown = words.find((word) => !isPermission(word));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no permission; there are ${permissions.join(", ")}`);
  return permissions.filter((permission) => words.includes(permission));
}
