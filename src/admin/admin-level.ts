import type { components } from "../../generated/openapi-types.js";
import { allowsChanges, type Permission } from "./permissions.js";

export type AdminLevel = components["schemas"]["AdminLevel"];

/** The level of a set of permissions: `admin` with `all`, `moderator` if any allows changes, or else `viewer`. */
export function adminLevel(held: readonly Permission[]): AdminLevel {
  if (held.includes("all")) return "admin";
  return held.some(allowsChanges) ? "moderator" : "viewer";
}
