import { stat } from "node:fs/promises";
import { blobFolder, createFolderStorage, inspectBlobs } from "../blobs/service.js";
import { mebibyte } from "../protocol/units.js";
import type { CliContext } from "./context.js";
import { type Finding, failure, ok, warning } from "./doctor-finding.js";

/** The folder for blobs: whether this machine can use it, and whether it is the one that the other nodes use. */
export async function checkBlobs({ db, clock, random, config }: CliContext): Promise<Finding> {
  if (config.blobStorage === "off") return ok("blobs", "off");
  const folder = blobFolder(config);
  // A folder that doctor made would belong to the wrong account.
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  if (!exists) return warning("blobs", `${folder} does not exist`, "the first start creates it; check BLOB_DIR");
  try {
    const storage = createFolderStorage(folder, random);
    const { freeBytes, checked, missing } = await inspectBlobs({ db, storage, now: clock.nowSeconds() });
    const message = `${missing} of ${checked} blobs of the database are not in ${folder}`;
    if (missing > 0) return failure("blobs", message, "let all nodes share one folder; after a restore, copy it back");
    if (freeBytes !== null && freeBytes < config.blobDiskReserveBytes) {
      const free = `${Math.floor(freeBytes / mebibyte)} MiB free in ${folder}: new blobs are refused`;
      return warning("blobs", free, "make room, or lower BLOB_DISK_RESERVE_BYTES");
    }
    return ok("blobs", `${folder} can be used`);
  } catch (problem) {
    return failure("blobs", (problem as Error).message, "check BLOB_DIR, and that the relay's account may write there");
  }
}
