import { RelayError } from "../protocol/errors.js";

/**
 * The contract says which permission an operation requires; the authenticator says which permissions the caller has.
 *
 * @throws RelayError INSUFFICIENT_PERMISSIONS
 */
export function demandPermission(principal: object, wanted: string | null): void {
  if (wanted === null) return;
  const { permissions = [] } = principal as { permissions?: readonly string[] };
  if (permissions.includes(wanted) || permissions.includes("all")) return;
  throw new RelayError("INSUFFICIENT_PERMISSIONS", `this needs the permission ${wanted}`);
}
