import { stat } from "node:fs/promises";
import { blobFolder, describeBlobStorage, inspectBlobs, openBlobStorage } from "../blobs/service.js";
import { mebibyte } from "../protocol/units.js";
import type { CliContext } from "./context.js";
import { adviceForMissing, type Finding, failure, ok, warning } from "./doctor-finding.js";

/** The storage of blobs: whether this machine can use it, and whether it is the one that the other nodes use. */
export async function checkBlobs(context: CliContext, running: string | null): Promise<Finding> {
  const { db, clock, random, config } = context;
  let storage: ReturnType<typeof openBlobStorage>;
  try {
    storage = openBlobStorage(config, random);
  } catch (problem) {
    return failure("blobs", (problem as Error).message, "a relay with these settings does not start");
  }
  if (storage === null) return ok("blobs", "off");
  const place = describeBlobStorage(config);
  // A folder that doctor made would belong to the wrong account.
  if (config.blobStorage === "folder" && !(await exists(blobFolder(config))))
    return warning("blobs", `${place} does not exist`, adviceForMissing("BLOB_DIR or DATA_DIR", running));
  try {
    const { freeBytes, checked, missing } = await inspectBlobs({ db, storage, now: clock.nowSeconds() });
    const message = `${missing} of ${checked} blobs of the database are not in ${place}`;
    if (missing > 0) return failure("blobs", message, "let all nodes share one place; after a restore, copy it back");
    if (freeBytes !== null && freeBytes < config.blobDiskReserveBytes) {
      const free = `${Math.floor(freeBytes / mebibyte)} MiB free in ${place}: new blobs are refused`;
      return warning("blobs", free, "make room, or lower BLOB_DISK_RESERVE_BYTES");
    }
    return ok("blobs", `${place} can be used`);
  } catch (problem) {
    const { name, message } = problem as Error;
    if (config.blobStorage === "folder")
      return failure("blobs", message, "check BLOB_DIR, and that the relay's account may write there");
    return failure("blobs", `${place}: ${name}: ${message}`, "check BLOB_S3_*, and the credentials of AWS_*");
  } finally {
    await storage.stop();
  }
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}
