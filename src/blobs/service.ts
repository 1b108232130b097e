import { createHash, timingSafeEqual } from "node:crypto";
import { invalidToken } from "../auth/tokens.js";
import type { Database, Transaction } from "../database/db.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { Schedule } from "../node/schedule.js";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import { invalidMember, overloaded, RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { SettingsService } from "../settings/service.js";
import type { BlobSettings } from "./config.js";
import { creationLimits, isNewDevice, networkCreationLimit, readLimits, refuseBarredCreation } from "./limits.js";
import { wantedRange } from "./range.js";
import { type ByteRange, partCount, partSize } from "./storage/layout.js";
import type { BlobStorage } from "./storage/storage.js";
import { createStorageWatch } from "./storage-watch.js";
import {
  countDownload,
  countPart,
  deleteEndedDownloads,
  deleteRow,
  findBlob,
  insertBlob,
  layoutOf,
  markComplete,
  markRemoved,
  readPendingBytes,
  type StoredBlob,
  takeEnded,
} from "./store.js";
import { createTransfers } from "./transfers.js";

export { inspectBlobs } from "./inspection.js";
export { describeBlobStorage, openBlobStorage } from "./open-storage.js";
export { blobFolder } from "./storage/folder.js";
export type { BlobStorage } from "./storage/storage.js";
export { countBlobs, voidCountedBlobs } from "./store.js";

/** What a device asks for. Bytes and seconds. */
interface WantedBlob {
  size: number;
  lifetimeSeconds: number;
  maxDownloads: number | undefined;
}

/** A reserved blob. Ids and tokens are 32 random bytes; the relay keeps only their hashes. */
interface CreatedBlob {
  id: Uint8Array;
  uploadToken: Uint8Array;
  deleteToken: Uint8Array;
  partBytes: number;
  parts: number;
  /** Unix seconds. */
  expiresAt: number;
}

interface WantedPart {
  id: Uint8Array;
  uploadToken: Uint8Array;
  part: number;
  /** SHA-256. */
  digest: Uint8Array;
  chunks: AsyncIterable<Uint8Array>;
  ip: string;
}

interface WantedBytes {
  id: Uint8Array;
  range: string | undefined;
  ifRange: string | undefined;
  /** Names a download of which this is a part. */
  download: Uint8Array | undefined;
  isHead: boolean;
  ip: string;
  /** Aborted when the answer has been sent or its client has gone. */
  ended: AbortSignal;
}

interface BlobBytes {
  size: number;
  tag: string;
  /** Undefined for all bytes. */
  range: ByteRange | undefined;
  length: number;
  chunks: AsyncIterable<Uint8Array>;
}

interface UploadState {
  size: number;
  partBytes: number;
  storedParts: number[];
  isComplete: boolean;
  expiresAt: number;
}

/** Blobs: files that clients have encrypted, found by ids that nobody can guess. */
export interface BlobsService {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Throws INVALID_TOKEN, RATE_LIMIT_EXCEEDED, MESSAGE_TOO_LARGE, QUEUE_FULL or BLOBS_DISABLED. */
  create(by: { deviceId: string; ip: string }, wanted: WantedBlob, observer?: LimitObserver): Promise<CreatedBlob>;
  /** Throws NOT_FOUND, UNAUTHORIZED, DIGEST_MISMATCH, INVALID_REQUEST, CONFLICT, QUEUE_FULL, OVERLOADED or BLOBS_DISABLED. */
  putPart(wanted: WantedPart): Promise<void>;
  /** Throws NOT_FOUND, UNAUTHORIZED or BLOBS_DISABLED. */
  uploadState(id: Uint8Array, uploadToken: Uint8Array): Promise<UploadState>;
  /** Throws NOT_FOUND, UNAUTHORIZED, CONFLICT, QUEUE_FULL, OVERLOADED or BLOBS_DISABLED. */
  complete(id: Uint8Array, uploadToken: Uint8Array): Promise<{ size: number; expiresAt: number }>;
  /** Throws NOT_FOUND, RANGE_NOT_SATISFIABLE, RATE_LIMIT_EXCEEDED, OVERLOADED or BLOBS_DISABLED. */
  read(wanted: WantedBytes, observer?: LimitObserver): Promise<BlobBytes>;
  /** Throws NOT_FOUND, UNAUTHORIZED or BLOBS_DISABLED. */
  delete(id: Uint8Array, deleteToken: Uint8Array): Promise<void>;
  /** Deletes a blob without its token, in one transaction with what `note` writes. Throws NOT_FOUND or BLOBS_DISABLED. */
  erase(id: Uint8Array, note: (trx: Transaction) => Promise<unknown>): Promise<void>;
  removeEnded(): Promise<void>;
  /** Null if this relay has no blobs. */
  policy(): { maxBytes: number } | null;
  limitsOf(device: Device): LimitRequest[];
}

interface BlobsDeps {
  db: Database;
  clock: Clock;
  random: Random;
  logger: Logger;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count" | "gauge">;
  rateLimiter: Pick<RateLimiter, "count">;
  devices: Pick<DevicesService, "find">;
  /** Null if this relay has no blobs. */
  storage: BlobStorage | null;
  config: BlobSettings;
}

const secretBytes = 32;
/** Requests for parts: as many times the number of parts, and some more. */
const requestsPerPart = 4;
const moreRequests = 16;
const retryAfterSeconds = 5;
/** No blob is older: 90 days, the full hour after them, and a day for clocks that differ. */
const longestLifetimeSeconds = 92 * daySeconds;

export function createBlobsService(deps: BlobsDeps): BlobsService {
  const { db, clock, random, settings, rateLimiter, devices, config, logger } = deps;
  const transfers = createTransfers({ perNode: config.blobTransfersPerNode, perIp: config.blobTransfersPerIp });
  const about = (device: Device) => ({ device, now: clock.nowSeconds(), settings: settings.current(), config });

  const demandStorage = (): BlobStorage => {
    if (deps.storage === null) throw new RelayError("BLOBS_DISABLED", "this server stores no blobs");
    return deps.storage;
  };
  /** What the storage does, with its failures as errors of the catalogue. */
  const stored = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof RelayError) throw error;
      logger.warn({ err: error }, "the storage of blobs has failed");
      if (isDiskFull(error)) throw storageFull();
      throw storageSilent();
    }
  };
  const find = async (id: Uint8Array): Promise<StoredBlob> => {
    const found = await findBlob(db, { name: hashOf(id), now: clock.nowSeconds() });
    if (found === undefined) throw notFound();
    return found;
  };
  const findForUpload = async (id: Uint8Array, token: Uint8Array): Promise<StoredBlob> => {
    const found = await find(id);
    if (!isHashOf(found.uploadHash, token)) throw new RelayError("UNAUTHORIZED", "wrong upload token");
    return found;
  };
  const remove = async (blob: StoredBlob): Promise<void> => {
    await demandStorage().remove(layoutOf(blob));
    await deleteRow(db, blob.name);
  };

  /** False if the bytes remain for now; then the clean-up tries again. */
  const removeOrWarn = async (blob: StoredBlob): Promise<boolean> => {
    try {
      await remove(blob);
      return true;
    } catch (error) {
      logger.warn({ err: error }, "the bytes of a blob that has ended cannot be removed");
      return false;
    }
  };
  const watch = deps.storage && createStorageWatch({ ...deps, storage: deps.storage });

  return {
    async start() {
      await watch?.start();
    },
    async stop() {
      await watch?.stop();
      await deps.storage?.stop();
    },
    async create({ deviceId, ip }, { size, lifetimeSeconds, maxDownloads }, observer) {
      const storage = demandStorage();
      const device = await devices.find(db, deviceId);
      if (device === undefined) throw invalidToken("the device is no longer registered here");
      refuseBarredCreation(device, clock.nowSeconds(), observer);
      if (size > config.blobBytes)
        throw new RelayError("MESSAGE_TOO_LARGE", `the blob has ${size} bytes; the limit is ${config.blobBytes}`);
      if (watch?.isFailing()) throw storageSilent();
      await stored(refuseFullDisk(storage, size));
      // Committed before the blob is stored, so that no transaction joins the device and the blob.
      const limits = [...creationLimits(size, about(device)), networkCreationLimit(ip, size, config)];
      await rateLimiter.count(db, limits, observer);

      const share = isNewDevice(about(device)) ? config.blobStorageNewTierShare : 1;
      const [id, uploadToken, deleteToken] = [secretBytes, secretBytes, secretBytes].map((n) => random.bytes(n));
      if (!id || !uploadToken || !deleteToken) throw new Error("no random bytes");
      const name = hashOf(id);
      const now = clock.nowSeconds();
      const expiresAt = endOfLifetime(now, lifetimeSeconds);
      const partBytes = storage.partBytesFor(size);
      const parts = Math.ceil(size / partBytes);
      const blob = {
        name,
        size,
        partBytes,
        uploadReference: await stored(storage.begin(name.toString("hex"))),
        uploadHash: hashOf(uploadToken),
        deleteHash: hashOf(deleteToken),
        downloadsLeft: maxDownloads ?? null,
        partRequests: requestsPerPart * parts + moreRequests,
        expiresAt,
        endsAt: Math.min(expiresAt, now + config.blobUploadIdleSeconds),
      };
      if (!(await insertBlob(db, blob, { limit: Math.floor(config.blobStorageBytes * share) }))) {
        await stored(
          storage.remove({ name: name.toString("hex"), size, partBytes, uploadReference: blob.uploadReference }),
        );
        throw storageFull();
      }
      deps.metrics.count("blobs_created");
      return { id, uploadToken, deleteToken, partBytes, parts, expiresAt };
    },
    async putPart({ id, uploadToken, part, digest, chunks, ip }) {
      const storage = demandStorage();
      const blob = await findForUpload(id, uploadToken);
      const layout = layoutOf(blob);
      if (part >= partCount(layout)) throw invalidMember("part", `must be below ${partCount(layout)}`);
      const end = transfers.begin(ip);
      try {
        const { name } = blob;
        const counted = { name, now: clock.nowSeconds(), idleSeconds: config.blobUploadIdleSeconds };
        if (!(await countPart(db, counted)))
          throw new RelayError("CONFLICT", "the blob is complete, or its parts were sent too often");
        const checked = checkChunks(chunks, { bytes: partSize(layout, part), digest });
        const isStored = await stored(storage.putPart(layout, { part, digest, chunks: checked }));
        deps.metrics.count("blob_bytes_received", partSize(layout, part));
        const found = isStored ? await findBlob(db, { name, now: clock.nowSeconds() }) : undefined;
        if (found !== undefined) return;
        // It was removed meanwhile, perhaps before the part was there to be removed.
        await stored(storage.remove(layout));
        throw notFound();
      } finally {
        end();
      }
    },
    async uploadState(id, uploadToken) {
      const storage = demandStorage();
      const blob = await findForUpload(id, uploadToken);
      const { size, partBytes, isComplete, expiresAt } = blob;
      const storedParts = isComplete ? [] : await stored(storage.storedParts(layoutOf(blob)));
      return { size, partBytes, storedParts, isComplete, expiresAt };
    },
    async complete(id, uploadToken) {
      const storage = demandStorage();
      const blob = await findForUpload(id, uploadToken);
      const { name, size, expiresAt, isComplete } = blob;
      if (isComplete) return { size, expiresAt };
      const layout = layoutOf(blob);
      if (!(await stored(storage.complete(layout)))) throw new RelayError("CONFLICT", "parts of the blob are missing");
      if (await markComplete(db, { name, now: clock.nowSeconds() })) deps.metrics.count("blobs_completed");
      else if ((await findBlob(db, { name, now: clock.nowSeconds() })) === undefined) {
        await stored(storage.remove(layout));
        throw notFound();
      }
      return { size, expiresAt };
    },
    async read({ id, range: given, ifRange, download, isHead, ip, ended }, observer) {
      const storage = demandStorage();
      const blob = await findBlob(db, { name: hashOf(id), now: clock.nowSeconds() });
      if (blob === undefined || !blob.isComplete || (blob.downloadsLeft === 0 && download === undefined)) {
        await rateLimiter.count(db, readLimits(ip, 0, config), observer);
        throw notFound();
      }
      const { size, name } = blob;
      const tag = `"${name.toString("hex").slice(0, 32)}"`;
      const range = wantedRange({ range: given, ifRange }, { size, tag });
      const { first, last } = range ?? { first: 0, last: size - 1 };
      const length = last - first + 1;
      await rateLimiter.count(db, readLimits(ip, isHead ? 0 : length, config), observer);
      if (isHead) return { size, tag, range, length, chunks: nothing() };
      const end = transfers.begin(ip);
      ended.addEventListener("abort", end);
      if (ended.aborted) end();
      try {
        const chunks = await stored(storage.open(layoutOf(blob), { first, last }));
        if (chunks === undefined) {
          logger.error("the bytes of a blob are missing in the storage");
          throw notFound();
        }
        if (blob.downloadsLeft !== null) {
          const seconds = config.blobDownloadSeconds;
          const counted = { name, download: download ? hashOf(download) : null, now: clock.nowSeconds(), seconds };
          if (!(await db.transaction((trx) => countDownload(trx, counted)))) throw notFound();
        }
        deps.metrics.count("blobs_downloaded");
        return { size, tag, range, length, chunks: counting(chunks, (n) => deps.metrics.count("blob_bytes_sent", n)) };
      } catch (error) {
        end();
        throw error;
      }
    },
    async delete(id, deleteToken) {
      demandStorage();
      const blob = await find(id);
      if (!isHashOf(blob.deleteHash, deleteToken)) throw new RelayError("UNAUTHORIZED", "wrong delete token");
      if (!(await markRemoved(db, blob.name))) throw notFound();
      await removeOrWarn(blob);
    },
    async erase(id, note) {
      demandStorage();
      const blob = await find(id);
      await db.transaction(async (trx) => {
        if (!(await markRemoved(trx, blob.name))) throw notFound();
        await note(trx);
      });
      await removeOrWarn(blob);
    },
    async removeEnded() {
      if (deps.storage === null) return;
      const now = clock.nowSeconds();
      const limit = config.blobsRemovedPerStep;
      for (;;) {
        const ended = await takeEnded(db, { now, limit });
        let removed = 0;
        // One that cannot be removed keeps no other.
        for (const blob of ended) if (await removeOrWarn(blob)) removed++;
        if (removed > 0) deps.metrics.count("blobs_removed", removed);
        if (ended.length < limit || removed === 0) break;
      }
      await deleteEndedDownloads(db, { now });
      const turn = Math.floor(now / config.blobCleanupSeconds);
      await deps.storage.removeOlderThan(now - longestLifetimeSeconds, turn);
    },
    policy: () => (deps.storage === null ? null : { maxBytes: config.blobBytes }),
    limitsOf: (device) =>
      deps.storage === null ? [] : creationLimits(0, about(device)).map((limit) => ({ ...limit, cost: 0 })),
  };

  /** Throws QUEUE_FULL if the disk has no room for the blob beside all that uploads may still write. */
  async function refuseFullDisk(storage: BlobStorage, size: number): Promise<void> {
    const free = await storage.freeBytes();
    if (free === null) return;
    const pending = await readPendingBytes(db);
    if (free - pending - size < config.blobDiskReserveBytes) throw storageFull();
  }
}

/** Schedules the removal of blobs that have ended. */
export function scheduleBlobsJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  blobs: Pick<BlobsService, "removeEnded">,
  config: Pick<BlobSettings, "blobCleanupSeconds">,
): void {
  schedule.cleanUpEvery("blobs.clean-up", config.blobCleanupSeconds, () => blobs.removeEnded());
}

function hashOf(secret: Uint8Array): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Compares in constant time, so that the response time does not reveal how much of a token was right. */
function isHashOf(hash: Uint8Array, token: Uint8Array): boolean {
  return timingSafeEqual(hash, hashOf(token));
}

/** Long lifetimes end at the full hour: the end would otherwise tell the second in which the blob was created. */
function endOfLifetime(now: number, lifetimeSeconds: number): number {
  const end = now + lifetimeSeconds;
  return lifetimeSeconds < daySeconds ? end : Math.ceil(end / hourSeconds) * hourSeconds;
}

/** Passes chunks on. Throws INVALID_REQUEST if there are not as many bytes as expected, DIGEST_MISMATCH if they are others. */
async function* checkChunks(
  chunks: AsyncIterable<Uint8Array>,
  expected: { bytes: number; digest: Uint8Array },
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > expected.bytes) throw wrongLength(expected.bytes);
    hash.update(chunk);
    yield chunk;
  }
  if (bytes < expected.bytes) throw wrongLength(expected.bytes);
  if (!hash.digest().equals(expected.digest))
    throw new RelayError("DIGEST_MISMATCH", "the part does not have the digest of Content-Digest");
}

function wrongLength(bytes: number): RelayError {
  const message = `must have ${bytes} bytes`;
  return new RelayError("INVALID_REQUEST", `the part ${message}`, { extras: { details: [{ path: "body", message }] } });
}

async function* counting(
  chunks: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    count(chunk.length);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function notFound(): RelayError {
  return new RelayError("NOT_FOUND", "there is no such blob");
}

function storageFull(): RelayError {
  return new RelayError("QUEUE_FULL", "the space for blobs is used up");
}

function storageSilent(): RelayError {
  return overloaded("the storage of blobs does not answer", retryAfterSeconds);
}

function isDiskFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");
}
