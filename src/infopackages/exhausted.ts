import type { Db } from "../database/db.js";
import { RelayError } from "../protocol/errors.js";
import { type Download, packageNotFound } from "./package.js";
import { deleteIfExpired, findPackage, type PackageKey } from "./store.js";

/**
 * Reads a package with unlimited uses. A package with limited uses that gets here is used up: it is answered with INFOPACKAGE_EXHAUSTED
 * until it expires, and with NOT_FOUND from then on.
 */
export async function readWithoutUse(db: Db, asked: PackageKey & { now: number }): Promise<Download> {
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
