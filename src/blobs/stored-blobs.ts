import { createHash, timingSafeEqual } from "node:crypto";
import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Logger } from "../platform/logger.js";
import { overloaded, RelayError } from "../protocol/errors.js";
import type { BlobStorage } from "./storage/storage.js";
import { findBlob, type StoredBlob } from "./store.js";

const retryAfterSeconds = 5;

export interface StoredBlobsDeps {
  db: Database;
  clock: Clock;
  logger: Logger;
  /** Null if this relay has no blobs. */
  storage: BlobStorage | null;
}

/** Throws BLOBS_DISABLED. */
export function demandStorage({ storage }: Pick<StoredBlobsDeps, "storage">): BlobStorage {
  if (storage === null) throw new RelayError("BLOBS_DISABLED", "this server stores no blobs");
  return storage;
}

/** What the storage does, with its failures as QUEUE_FULL or OVERLOADED. */
export async function fromStorage<T>(work: Promise<T>, { logger }: Pick<StoredBlobsDeps, "logger">): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RelayError) throw error;
    logger.warn({ err: error }, "the storage of blobs has failed");
    if (isDiskFull(error)) throw storageFull();
    throw storageSilent();
  }
}

/** Throws NOT_FOUND. */
export async function demandBlob(
  id: Uint8Array,
  { db, clock }: Pick<StoredBlobsDeps, "db" | "clock">,
): Promise<StoredBlob> {
  const found = await findBlob(db, { name: hashOf(id), now: clock.nowSeconds() });
  if (found === undefined) throw notFound();
  return found;
}

export function hashOf(secret: Uint8Array): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Compares in constant time, so that the response time does not reveal how much of a token was right. */
export function isHashOf(hash: Uint8Array, token: Uint8Array): boolean {
  return timingSafeEqual(hash, hashOf(token));
}

export function notFound(): RelayError {
  return new RelayError("NOT_FOUND", "there is no such blob");
}

export function storageFull(): RelayError {
  return new RelayError("QUEUE_FULL", "the space for blobs is used up");
}

export function storageSilent(): RelayError {
  return overloaded("the storage of blobs does not answer", retryAfterSeconds);
}

function isDiskFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");
}
