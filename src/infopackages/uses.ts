import type { Db } from "../database/db.js";
import { invalidMember } from "../protocol/errors.js";
import { hourSeconds } from "../protocol/units.js";
import type { InfoPackageSettings } from "./config.js";
import { readWithoutUse } from "./exhausted.js";
import type { Download } from "./package.js";
import {
  beginDownload,
  forgetDownload,
  hasUses,
  type NamedDownload,
  type PackageKey,
  readDownload,
  takeUse,
} from "./store.js";

export type UsesConfig = Pick<InfoPackageSettings, "infoPackageMaxUses">;

/** Checks the server's bounds, which may be narrower than the contract's. Throws INVALID_CONFIG. */
export function checkMaxUses(maxUses: number | null, config: UsesConfig): void {
  if (maxUses !== null && (maxUses < 1 || maxUses > config.infoPackageMaxUses)) {
    throw invalidMember("max_uses", `must be from 1 to ${config.infoPackageMaxUses}`, { id: "INVALID_CONFIG" });
  }
}

/** How long a download may be repeated: its answer may have been lost. */
const repeatSeconds = hourSeconds;

/**
 * Reads a package and takes a use of it, if its uses are limited and no use was taken for the same download. Throws NOT_FOUND or
 * INFOPACKAGE_EXHAUSTED.
 */
export async function usePackage(
  db: Db,
  { download, ...asked }: PackageKey & { now: number; download: Buffer | undefined },
): Promise<Download> {
  const taken = download === undefined ? takeUse(db, asked) : takeUseOnce(db, { ...asked, download });
  return (await taken) ?? readWithoutUse(db, asked);
}

/** Only uses that were taken leave a row, so nobody can fill the table. */
async function takeUseOnce(db: Db, asked: NamedDownload): Promise<Download | undefined> {
  const again = await readDownload(db, asked);
  if (again !== undefined) return again;
  // The last use may have been taken meanwhile, by a request of the same download.
  if (!(await hasUses(db, asked))) return readDownload(db, asked);
  const endsAt = asked.now + repeatSeconds;
  const taken = await db.transaction(async (trx) => {
    if (!(await beginDownload(trx, { ...asked, endsAt }))) return undefined;
    const taken = await takeUse(trx, { ...asked, keptUntil: endsAt });
    if (taken === undefined) await forgetDownload(trx, asked);
    return taken;
  });
  return taken ?? readDownload(db, asked);
}
