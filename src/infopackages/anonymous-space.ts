import type { Database, Db } from "../database/db.js";
import { RelayError } from "../protocol/errors.js";
import type { InfoPackageSettings } from "./config.js";
import { charge, lockBalance, recountBalance } from "./store.js";

/** Takes space for a package without an uploader, in the caller's transaction. Throws QUEUE_FULL. */
export async function takeSpace(
  trx: Db,
  bytes: number,
  config: Pick<InfoPackageSettings, "infoPackageAnonymousBytes">,
): Promise<void> {
  if (await charge(trx, { bytes, limit: config.infoPackageAnonymousBytes })) return;
  throw new RelayError("QUEUE_FULL", "the space for info packages without an uploader is used up");
}

/** Counts again how much space the stored packages take. */
export async function recomputeBalance(db: Database | Db): Promise<void> {
  await db.transaction(async (trx) => {
    await lockBalance(trx);
    await recountBalance(trx);
  });
}
