import type { Db } from "../database/db.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import type { InfoPackageSettings } from "./config.js";
import { type Download, packageNotFound } from "./package.js";
import { deleteIfExpired, findPackage, type PackageKey, takeUse } from "./store.js";

export type UsesConfig = Pick<InfoPackageSettings, "infoPackageMaxUses">;

/** Checks the server's bounds, which may be narrower than the contract's. Throws INVALID_CONFIG. */
export function checkMaxUses(maxUses: number | null, config: UsesConfig): void {
  if (maxUses !== null && (maxUses < 1 || maxUses > config.infoPackageMaxUses)) {
    throw invalidMember("max_uses", `must be from 1 to ${config.infoPackageMaxUses}`, { id: "INVALID_CONFIG" });
  }
}

/** Reads a package and takes a use of it, if its uses are limited. Throws NOT_FOUND or INFOPACKAGE_EXHAUSTED. */
export async function usePackage(db: Db, asked: PackageKey & { now: number }): Promise<Download> {
  return (await takeUse(db, asked)) ?? readUnlimited(db, asked);
}

/** Reads a package with unlimited uses. A package with limited uses that gets here is used up. */
async function readUnlimited(db: Db, asked: PackageKey & { now: number }): Promise<Download> {
  const found = await findPackage(db, asked);
  if (found === undefined) throw packageNotFound();
  if (found.expiresAt <= asked.now) {
    await deleteIfExpired(db, asked);
    throw packageNotFound();
  }
  const { ciphertext, packageType, createdAt, expiresAt, usesRemaining } = found;
  if (ciphertext === null || usesRemaining !== null)
    throw new RelayError("INFOPACKAGE_EXHAUSTED", "all uses of the info package are consumed");
  return { ciphertext, packageType, createdAt, expiresAt, usesRemaining };
}
