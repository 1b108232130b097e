import type { Db } from "../database/db.js";
import type { BlobStorage } from "./storage/storage.js";
import { findSomeComplete, layoutOf } from "./store.js";

interface BlobInspection {
  /** Null if the storage cannot tell. */
  freeBytes: number | null;
  /** How many complete blobs were looked for. */
  checked: number;
  /** How many of them the storage does not have. */
  missing: number;
}

const checkedAtMost = 50;

/** Tries the storage, and looks there for some blobs of the database. Throws if the storage cannot be used. */
export async function inspectBlobs(deps: { db: Db; storage: BlobStorage; now: number }): Promise<BlobInspection> {
  const { db, storage, now } = deps;
  await storage.start();
  const blobs = await findSomeComplete(db, { now, limit: checkedAtMost });
  const opened = await Promise.all(blobs.map((blob) => storage.open(layoutOf(blob), { first: 0, last: 0 })));
  return {
    freeBytes: await storage.freeBytes(),
    checked: blobs.length,
    missing: opened.filter((bytes) => bytes === undefined).length,
  };
}
