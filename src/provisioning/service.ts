import { createHash, timingSafeEqual } from "node:crypto";
import type { Knex } from "knex";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import type { Db } from "../platform/database/connection.js";
import type { Notifications } from "../platform/database/notifications.js";
import type { Random } from "../platform/random.js";
import type { IpWindows } from "../platform/rate-limit/ip-windows.js";
import { decodeBase64, decodedLength } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { isAcceptableKey } from "../protocol/signature.js";
import { checkTimestamp, invalidMember, type TimestampWindow } from "../protocol/signed-request.js";
import { hourSeconds } from "../protocol/units.js";
import { deleteAll, deleteExpired, findAddress, insertAddress, putBlob } from "./store.js";
import { createWaiting, notFound, type Polled, type WaitingConfig } from "./wait.js";
import { createWakeUpSignals } from "./wake-up-signals.js";

export { scheduleProvisioningJobs } from "./jobs.js";
export type { Polled } from "./wait.js";

export interface OpenRequest {
  ephemeralPublicKey: Uint8Array;
  ttlSeconds: number;
  timestamp: number;
  /** The client's network key. */
  ip: string;
}

export interface OpenedAddress {
  id: string;
  /** Told once, to the one who opened the address; the server keeps its hash. */
  pollToken: Uint8Array;
  expiresAt: number;
}

export interface PollRequest {
  id: string;
  pollToken: Uint8Array;
  waitSeconds: number;
  /** Aborted when the client has gone. */
  gone: AbortSignal;
}

/** Addresses at which a device leaves one encrypted blob for a new device (specification, "Device linking"). */
export interface ProvisioningService {
  start(): void;
  stop(): void;
  /** Answers the polls that wait, for a server that is being stopped. */
  drain(): void;
  /** Opens an address. Throws INVALID_REQUEST, or RATE_LIMIT_EXCEEDED for the network address. */
  open(request: OpenRequest): Promise<OpenedAddress>;
  /** Leaves a blob; returns when it expires. Throws MESSAGE_TOO_LARGE, INVALID_REQUEST, NOT_FOUND or CONFLICT. */
  put(blob: { id: string; ciphertext: string }): Promise<number>;
  /** Hands the blob out, once, to who holds the poll token. Throws NOT_FOUND, UNAUTHORIZED or OVERLOADED. */
  poll(request: PollRequest): Promise<Polled>;
  /** Removes expired addresses with what was left there. */
  removeExpired(): Promise<void>;
}

export interface ProvisioningDeps {
  db: Knex;
  clock: Clock;
  random: Random;
  notifications: Pick<Notifications, "notify" | "listen">;
  ipWindows: Pick<IpWindows, "take">;
  metrics: Pick<MetricsService, "count">;
  config: TimestampWindow &
    WaitingConfig &
    Pick<
      Config,
      | "provisioningPerIpHour"
      | "provisioningMinTtlSeconds"
      | "provisioningMaxTtlSeconds"
      | "provisioningBlobBytes"
      | "expiryStepRows"
    >;
}

const channel = "provisioning";
const pollTokenBytes = 32;

export function createProvisioningService(deps: ProvisioningDeps): ProvisioningService {
  const { db, clock, random, notifications, metrics, config } = deps;
  const wakeUpSignals = createWakeUpSignals();
  const waiting = createWaiting({ ...deps, wakeUpSignals, channel });
  let unlisten = (): void => undefined;

  return {
    start() {
      unlisten = notifications.listen(channel, (id) => (id === "" ? wakeUpSignals.ringAll() : wakeUpSignals.ring(id)));
    },
    stop() {
      unlisten();
      waiting.end();
    },
    drain: () => waiting.end(),
    async open(request) {
      const now = clock.nowSeconds();
      checkOpening(request, now, config);
      await countOpening(deps, request.ip, now);
      const opened = {
        id: random.uuid(),
        pollToken: random.bytes(pollTokenBytes),
        expiresAt: now + request.ttlSeconds,
      };
      await insertAddress(db, { ...opened, pollTokenHash: hashOf(opened.pollToken) });
      metrics.count("provisioning_addresses");
      return opened;
    },
    async put({ id, ciphertext }) {
      const now = clock.nowSeconds();
      const expiresAt = await putBlob(db, { id, now, ciphertext: readBlob(ciphertext, config.provisioningBlobBytes) });
      if (expiresAt === undefined) throw await whyNotPut(db, { id, now });
      notifications.notify(channel, id);
      return expiresAt;
    },
    async poll({ id, pollToken, waitSeconds, gone }) {
      const address = await findAddress(db, { id, now: clock.nowSeconds() });
      if (address === undefined) throw notFound();
      if (!timingSafeEqual(hashOf(pollToken), address.pollTokenHash)) {
        throw new RelayError("UNAUTHORIZED", "this is not the poll token of the address");
      }
      const polled = await waiting.poll({ id, waitSeconds, gone, replaces: address.waiter !== null });
      if ("ciphertext" in polled) metrics.count("provisioning_blobs_delivered");
      return polled;
    },
    async removeExpired() {
      const limit = config.expiryStepRows;
      for (let done = limit; done === limit; ) done = await deleteExpired(db, { now: clock.nowSeconds(), limit });
    },
  };
}

/** For a database that was restored from a backup: blobs may have been handed out since, so none is any more. */
export async function voidProvisioning(db: Db): Promise<void> {
  await deleteAll(db);
}

function checkOpening(request: OpenRequest, now: number, config: ProvisioningDeps["config"]): void {
  const { provisioningMinTtlSeconds: least, provisioningMaxTtlSeconds: most } = config;
  if (request.ttlSeconds < least || request.ttlSeconds > most) {
    throw invalidMember("ttl_seconds", `must be ${least} to ${most}`);
  }
  if (!isAcceptableKey(request.ephemeralPublicKey)) throw invalidMember("ephemeral_public_key", "is no Ed25519 key");
  checkTimestamp(request.timestamp, now, config);
}

async function countOpening({ db, ipWindows, config }: ProvisioningDeps, ip: string, now: number): Promise<void> {
  const limit = config.provisioningPerIpHour;
  const { granted, resetAt } = await ipWindows.take(db, {
    kind: "provisioning",
    ip,
    windowSeconds: hourSeconds,
    limit,
  });
  if (granted) return;
  throw rateLimitExceeded("too many provisioning addresses for this network address", { limit, resetAt, now });
}

async function whyNotPut(db: Db, at: { id: string; now: number }): Promise<RelayError> {
  if ((await findAddress(db, at)) === undefined) return notFound();
  return new RelayError("CONFLICT", "something has been left at this address before");
}

function readBlob(text: string, most: number): Buffer {
  if (decodedLength(text) > most) throw new RelayError("MESSAGE_TOO_LARGE", `ciphertext is over ${most} bytes`);
  const bytes = decodeBase64(text);
  if (bytes === undefined || bytes.length === 0) throw invalidMember("ciphertext", "must be canonical base64");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The token has 32 random bytes, which nobody guesses from a plain hash. */
function hashOf(pollToken: Uint8Array): Buffer {
  return createHash("sha256").update(pollToken).digest();
}
