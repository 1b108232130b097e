import type { Database, Db } from "../database/db.js";
import type { Notifications } from "../database/pool/notifications.js";
import type { LimitRequest } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import type { Schedule } from "../node/schedule.js";
import type { Random } from "../platform/random.js";
import { decodeBase64 } from "../protocol/encodings.js";
import { invalidMember, overloaded, RelayError } from "../protocol/errors.js";
import { linkingCodeBytes, linkingCodeOf } from "../protocol/linking-code.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { isAcceptableKey } from "../protocol/signature.js";
import { checkTimestamp, type TimestampWindow } from "../protocol/timestamp-window.js";
import type { ProvisioningSettings } from "./config.js";
import { blobLimit, checkBlobSize, checkLifetime, codeLimit, openingLimit } from "./limits.js";
import { createPolling, notFound, type Polled } from "./poll.js";
import { demandPollToken, hashOf, newPollToken } from "./poll-token.js";
import {
  type Address,
  deleteAll,
  deleteExpired,
  findAddress,
  findQr,
  insertAddress,
  putBlob,
  setCode,
} from "./store.js";
import { createWakeUpSignals } from "./wake-up-signals.js";

export type { Polled } from "./poll.js";

interface OpenRequest {
  ephemeralPublicKey: Uint8Array;
  ttlSeconds: number;
  timestamp: number;
  /** The client's network key. */
  ip: string;
  observer: LimitObserver;
}

interface Blob {
  id: string;
  /** In base64, as it was sent. */
  ciphertext: string;
  /** The device that leaves it, which is not stored. */
  deviceId: string;
  observer: LimitObserver;
}

interface OpenedAddress {
  id: string;
  /** Returned once, when the address is opened. The server stores its hash. */
  pollToken: Uint8Array;
  expiresAt: number;
}

interface CodeRequest {
  id: string;
  pollToken: Uint8Array;
  /** The text of the new device's QR code. */
  qr: string;
}

interface CodeLookup {
  code: string;
  /** The device that asks, which is not stored. */
  deviceId: string;
  observer: LimitObserver;
}

interface PollRequest {
  id: string;
  pollToken: Uint8Array;
  /** Names the attempt to get the blob, which may be repeated. */
  download: Uint8Array | undefined;
  waitSeconds: number;
  /** Aborted when the client disconnects. */
  gone: AbortSignal;
}

/** Addresses where a device stores one encrypted blob for a new device (specification, "Device linking"). */
export type ProvisioningService = ReturnType<typeof createProvisioningService>;

interface ProvisioningDeps {
  db: Database;
  clock: Clock;
  random: Random;
  notifications: Pick<Notifications, "notify" | "listen">;
  rateLimiter: Pick<RateLimiter, "count">;
  metrics: Pick<MetricsService, "count">;
  config: TimestampWindow & ProvisioningSettings & Pick<NodeSettings, "expiryStepRows">;
}

const channel = "provisioning";
/** A code that another address has is drawn again. */
const codeAttempts = 4;
const overloadedRetrySeconds = 5;

export function createProvisioningService(deps: ProvisioningDeps) {
  const { db, clock, random, notifications, rateLimiter, metrics, config } = deps;
  const wakeUpSignals = createWakeUpSignals();
  const polling = createPolling({ ...deps, wakeUpSignals, channel });
  let unlisten = (): void => undefined;

  const addressOf = async (id: string, pollToken: Uint8Array): Promise<Address> => {
    const address = await findAddress(db, { id, now: clock.nowSeconds() });
    if (address === undefined) throw notFound();
    demandPollToken(address, pollToken);
    return address;
  };

  return {
    start(): void {
      unlisten = notifications.listen(channel, (id) =>
        id === "" ? wakeUpSignals.notifyAll() : wakeUpSignals.notify(id),
      );
    },
    stop(): void {
      unlisten();
      polling.end();
    },
    /** Ends the waiting polls, because the server is stopping. */
    drain: (): void => polling.end(),
    /** Opens an address. Throws INVALID_REQUEST, or RATE_LIMIT_EXCEEDED for the client's network address. */
    async open(request: OpenRequest): Promise<OpenedAddress> {
      const now = clock.nowSeconds();
      checkOpening(request, now, config);
      await rateLimiter.count(db, [openingLimit(request.ip, config)], request.observer);
      const opened = {
        id: random.uuid(),
        pollToken: newPollToken(random),
        expiresAt: now + request.ttlSeconds,
      };
      await insertAddress(db, { ...opened, pollTokenHash: hashOf(opened.pollToken) });
      metrics.count("provisioning_addresses");
      return opened;
    },
    /**
     * Stores a blob; returns when it expires. Each attempt counts. Throws MESSAGE_TOO_LARGE, INVALID_REQUEST,
     * RATE_LIMIT_EXCEEDED, NOT_FOUND or CONFLICT.
     */
    async put({ id, ciphertext, deviceId, observer }: Blob): Promise<number> {
      const now = clock.nowSeconds();
      const blob = readBlob(ciphertext, config);
      // A transaction of its own: nothing in the database connects the device with the blob.
      await rateLimiter.count(db, [blobLimit(deviceId, config)], observer);
      const expiresAt = await putBlob(db, { id, now, ciphertext: blob });
      if (expiresAt === undefined) throw await putRefusal(db, { id, now });
      notifications.notify(channel, id);
      return expiresAt;
    },
    /** Gives the QR code of an address a short code, to the holder of the poll token. The first text counts. Throws NOT_FOUND, UNAUTHORIZED or OVERLOADED. */
    async createCode({ id, pollToken, qr }: CodeRequest): Promise<{ code: string; expiresAt: number }> {
      for (let left = codeAttempts; left > 0; left--) {
        const { code, expiresAt } = await addressOf(id, pollToken);
        if (code !== null) return { code, expiresAt };
        await setCode(db, { id, qr, code: linkingCodeOf(random.bytes(linkingCodeBytes)) });
      }
      throw overloaded("no linking code is free", overloadedRetrySeconds);
    },
    /** Returns the text of the QR code. Each attempt counts. Throws RATE_LIMIT_EXCEEDED or NOT_FOUND. */
    async findQr({ code, deviceId, observer }: CodeLookup): Promise<string> {
      await rateLimiter.count(db, [codeLimit(deviceId, config)], observer);
      const qr = await findQr(db, { code, now: clock.nowSeconds() });
      if (qr === undefined) throw new RelayError("NOT_FOUND", "no new device has this code");
      return qr;
    },
    /** Returns the blob, to the holder of the poll token, once or to the same download again. Throws NOT_FOUND, UNAUTHORIZED or OVERLOADED. */
    async poll({ id, pollToken, download, waitSeconds, gone }: PollRequest): Promise<Polled> {
      const address = await addressOf(id, pollToken);
      const polled = await polling.poll({
        id,
        waitSeconds,
        download: download && hashOf(download),
        gone,
        replaces: address.waiter !== null,
      });
      if ("ciphertext" in polled) metrics.count("provisioning_blobs_delivered");
      return polled;
    },
    /** The limits of the blobs that a device may leave, and of the codes that it may try. */
    limitsOf: ({ deviceId }: { deviceId: string }): LimitRequest[] => [
      blobLimit(deviceId, config),
      codeLimit(deviceId, config),
    ],
    /** Deletes expired addresses and their blobs. */
    async removeExpired(): Promise<void> {
      const limit = config.expiryStepRows;
      for (let done = limit; done === limit; ) done = await deleteExpired(db, { now: clock.nowSeconds(), limit });
    },
  };
}

/** Deletes the blobs of a restored database: they may have been delivered after the backup was taken. */
export async function voidProvisioning(db: Db): Promise<void> {
  await deleteAll(db);
}

function checkOpening(request: OpenRequest, now: number, config: ProvisioningDeps["config"]): void {
  checkLifetime(request.ttlSeconds, config);
  if (!isAcceptableKey(request.ephemeralPublicKey))
    throw invalidMember("ephemeral_public_key", "must be an Ed25519 public key");
  checkTimestamp(request.timestamp, now, config);
}

async function putRefusal(db: Db, at: { id: string; now: number }): Promise<RelayError> {
  if ((await findAddress(db, at)) === undefined) return notFound();
  return new RelayError("CONFLICT", "a blob has been stored at this address before");
}

function readBlob(text: string, config: ProvisioningSettings): Buffer {
  checkBlobSize(text, config);
  const bytes = decodeBase64(text);
  if (bytes === undefined || bytes.length === 0) throw invalidMember("ciphertext", "must be canonical base64");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Schedules the removal of expired addresses. */
export function scheduleProvisioningJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: Pick<ProvisioningService, "removeExpired">,
  config: Pick<NodeSettings, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("provisioning.expire", config.expiryIntervalSeconds, () => service.removeExpired());
}
