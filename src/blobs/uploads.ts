import { createHash } from "node:crypto";
import { invalidToken } from "../auth/tokens.js";
import type { Device, DevicesService } from "../devices/service.js";
import { refuseBarred } from "../limits/barred.js";
import type { LimitRequest } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { MetricsService } from "../metrics/service.js";
import type { Random } from "../platform/random.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { isNewDevice } from "../protocol/trust-tier.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import type { Transfers } from "./concurrent-transfers.js";
import type { BlobSettings } from "./config.js";
import { creationLimits, networkCreationLimits, partRequestLimit, spaceFor } from "./limits.js";
import { type BlobLayout, partCount, partSize } from "./storage/layout.js";
import type { BlobStorage } from "./storage/storage.js";
import {
  countPart,
  extendUpload,
  findBlob,
  insertBlob,
  layoutOf,
  markComplete,
  readBalance,
  readPendingBytes,
  type StoredBlob,
} from "./store.js";
import {
  demandBlob,
  demandStorage,
  fromStorage,
  hashOf,
  isHashOf,
  notFound,
  type StoredBlobsDeps,
  storageFull,
  storageSilent,
} from "./stored-blobs.js";

const secretBytes = 32;

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

interface UploadState {
  size: number;
  partBytes: number;
  storedParts: number[];
  isComplete: boolean;
  expiresAt: number;
}

export interface UploadsDeps extends StoredBlobsDeps {
  random: Pick<Random, "bytes">;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  rateLimiter: Pick<RateLimiter, "count" | "giveBack">;
  devices: Pick<DevicesService, "find">;
  /** Whether the storage failed when it was tried last. */
  isFailing(): boolean;
  config: BlobSettings & {
    /** Bodies are no slower (http/body/body-timeout.ts). */
    readonly slowestBytesPerSecond: number;
  };
}

/** Uploads: a blob is created, its parts arrive in any order, and it is complete when all are stored. */
export class BlobUploads {
  private readonly deps: UploadsDeps;
  private readonly transfers: Transfers;

  constructor(transfers: Transfers, deps: UploadsDeps) {
    this.transfers = transfers;
    this.deps = deps;
  }

  /** Throws INVALID_TOKEN, RATE_LIMIT_EXCEEDED, MESSAGE_TOO_LARGE, QUEUE_FULL or BLOBS_DISABLED. */
  async create(
    by: { deviceId: string; ip: string },
    wanted: WantedBlob,
    observer?: LimitObserver,
  ): Promise<CreatedBlob> {
    const { db, clock, rateLimiter, devices, config } = this.deps;
    const storage = demandStorage(this.deps);
    const device = await devices.find(db, by.deviceId);
    if (device === undefined) throw invalidToken("the device is no longer registered here");
    refuseBarred("blobs_hour", { device, now: clock.nowSeconds() }, observer);
    const { size } = wanted;
    if (size > config.blobBytes)
      throw new RelayError("MESSAGE_TOO_LARGE", `the blob has ${size} bytes; the limit is ${config.blobBytes}`);
    if (this.deps.isFailing()) throw storageSilent();
    await this.stored(this.refuseFullDisk(storage, size));
    // Committed before the blob is stored, so that no transaction joins the device and the blob.
    const creator = this.creatorOf(device);
    const counted = [
      ...creationLimits(creator, { bytes: size, lifetimeSeconds: wanted.lifetimeSeconds }, config),
      ...networkCreationLimits(by.ip, { bytes: size, storedBytes: await readBalance(db) }, config),
    ];
    await rateLimiter.count(db, counted, observer);
    try {
      return await this.reserve(storage, wanted, spaceFor(creator, config));
    } catch (error) {
      // A share is not used up by what the space had no room for.
      await rateLimiter.giveBack(db, counted);
      throw error;
    }
  }

  /** Throws NOT_FOUND, UNAUTHORIZED, DIGEST_MISMATCH, INVALID_REQUEST, CONFLICT, QUEUE_FULL, OVERLOADED or BLOBS_DISABLED. */
  async putPart({ id, uploadToken, part, digest, chunks, ip }: WantedPart): Promise<void> {
    const { db, clock, config, metrics } = this.deps;
    const storage = demandStorage(this.deps);
    const blob = await this.findForUpload(id, uploadToken);
    const layout = layoutOf(blob);
    if (part >= partCount(layout)) throw invalidMember("part", `must be below ${partCount(layout)}`);
    const end = this.transfers.begin(ip);
    try {
      const { name } = blob;
      const seconds = config.blobFirstPartSeconds + Math.ceil(partSize(layout, part) / config.slowestBytesPerSecond);
      const counted = { name, now: clock.nowSeconds(), seconds };
      if (!(await countPart(db, counted)))
        throw new RelayError("CONFLICT", "the blob is complete, or its parts were sent too often");
      const checked = checkChunks(chunks, { bytes: partSize(layout, part), digest });
      const stored = await this.stored(storage.putPart(layout, { part, digest, chunks: checked }));
      metrics.count("blob_bytes_received", partSize(layout, part));
      const idleSeconds = config.blobUploadIdleSeconds;
      const found =
        stored === "removed" ? undefined : await extendUpload(db, { name, now: clock.nowSeconds(), idleSeconds });
      if (found !== undefined) {
        if (stored === "joined" && !(await this.hasBytes(storage, layout, { part, digest })))
          throw new RelayError("CONFLICT", "the blob is complete");
        return;
      }
      // It was removed meanwhile, perhaps before the part was there to be removed.
      await this.stored(storage.remove(layout));
      throw notFound();
    } finally {
      end();
    }
  }

  /** Throws NOT_FOUND, UNAUTHORIZED or BLOBS_DISABLED. */
  async state(id: Uint8Array, uploadToken: Uint8Array): Promise<UploadState> {
    const storage = demandStorage(this.deps);
    const blob = await this.findForUpload(id, uploadToken);
    const { size, partBytes, isComplete, expiresAt } = blob;
    const storedParts = isComplete ? [] : await this.stored(storage.storedParts(layoutOf(blob)));
    return { size, partBytes, storedParts, isComplete, expiresAt };
  }

  /** Throws NOT_FOUND, UNAUTHORIZED, CONFLICT, QUEUE_FULL, OVERLOADED or BLOBS_DISABLED. */
  async complete(id: Uint8Array, uploadToken: Uint8Array): Promise<{ size: number; expiresAt: number }> {
    const { db, clock, metrics } = this.deps;
    const storage = demandStorage(this.deps);
    const blob = await this.findForUpload(id, uploadToken);
    const { name, size, expiresAt, isComplete } = blob;
    if (isComplete) return { size, expiresAt };
    const layout = layoutOf(blob);
    if (!(await this.stored(storage.complete(layout)))) {
      await demandBlob(id, this.deps);
      throw new RelayError("CONFLICT", "parts of the blob are missing");
    }
    if (await markComplete(db, { name, now: clock.nowSeconds() })) metrics.count("blobs_completed");
    else if ((await findBlob(db, { name, now: clock.nowSeconds() })) === undefined) {
      await this.stored(storage.remove(layout));
      throw notFound();
    }
    return { size, expiresAt };
  }

  limitsOf(device: Device): LimitRequest[] {
    if (this.deps.storage === null) return [];
    return creationLimits(this.creatorOf(device), { bytes: 0, lifetimeSeconds: 0 }, this.deps.config);
  }

  /** Throws QUEUE_FULL if blobs have `limit` bytes with this one. */
  private async reserve(storage: BlobStorage, wanted: WantedBlob, limit: number): Promise<CreatedBlob> {
    const { db, clock, random, config, metrics } = this.deps;
    const { size, lifetimeSeconds, maxDownloads } = wanted;
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
      uploadReference: await this.stored(storage.begin(name.toString("hex"))),
      uploadHash: hashOf(uploadToken),
      deleteHash: hashOf(deleteToken),
      downloadsLeft: maxDownloads ?? null,
      partRequests: partRequestLimit(parts),
      expiresAt,
      endsAt: Math.min(expiresAt, now + config.blobFirstPartSeconds),
    };
    if (!(await insertBlob(db, blob, { limit }))) {
      await this.stored(
        storage.remove({ name: name.toString("hex"), size, partBytes, uploadReference: blob.uploadReference }),
      );
      throw storageFull();
    }
    metrics.count("blobs_created");
    return { id, uploadToken, deleteToken, partBytes, parts, expiresAt };
  }

  /** Whether a blob whose parts are joined has a part with this digest. */
  private async hasBytes(
    storage: BlobStorage,
    layout: BlobLayout,
    { part, digest }: Pick<WantedPart, "part" | "digest">,
  ): Promise<boolean> {
    const first = part * layout.partBytes;
    const range = { first, last: first + partSize(layout, part) - 1 };
    const chunks = (await this.stored(storage.open(layout, range))) ?? [];
    const hash = createHash("sha256");
    for await (const chunk of chunks) hash.update(chunk);
    return hash.digest().equals(digest);
  }

  private async findForUpload(id: Uint8Array, token: Uint8Array): Promise<StoredBlob> {
    const found = await demandBlob(id, this.deps);
    if (!isHashOf(found.uploadHash, token)) throw new RelayError("UNAUTHORIZED", "wrong upload token");
    return found;
  }

  /** Throws QUEUE_FULL if the disk has no room for the blob beside all that uploads may still write. */
  private async refuseFullDisk(storage: BlobStorage, size: number): Promise<void> {
    const free = await storage.freeBytes();
    if (free === null) return;
    const pending = await readPendingBytes(this.deps.db);
    if (free - pending - size < this.deps.config.blobDiskReserveBytes) throw storageFull();
  }

  private stored<T>(work: Promise<T>): Promise<T> {
    return fromStorage(work, this.deps);
  }

  private creatorOf(device: Device): { deviceId: string; isNew: boolean } {
    const isNew = isNewDevice(device, { now: this.deps.clock.nowSeconds(), settings: this.deps.settings.current() });
    return { deviceId: device.deviceId, isNew };
  }
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
