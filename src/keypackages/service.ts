import type { Knex } from "knex";
import type { Device, DevicesService } from "../devices/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Secrets } from "../platform/auth/secrets.js";
import { invalidToken } from "../platform/auth/tokens.js";
import type { UsedSignatures } from "../platform/auth/used-signatures.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import { type Db, inTransaction } from "../platform/database/connection.js";
import type { Notifications } from "../platform/database/notifications.js";
import { RelayError } from "../protocol/errors.js";
import { keyPackagesText } from "../protocol/signed-text.js";
import type { SettingsService } from "../settings/service.js";
import { createExpiry, type Expiry } from "./expiry.js";
import { createFetchLimits, type FetchLimitConfig } from "./fetch-limits.js";
import { createLowNotices } from "./low-notices.js";
import {
  countAvailable,
  deleteOfDevices,
  lockAccount,
  readStanding,
  type Standing,
  takeOldest,
  voidSome,
} from "./store.js";
import {
  checkSigned,
  checkUploader,
  readStored,
  readUpload,
  type Stored,
  storeUpload,
  type UploadConfig,
  type UploadRequest,
} from "./upload.js";

export { scheduleKeyPackageJobs } from "./expiry.js";
export type { Standing } from "./store.js";
export type { Stored, UploadRequest } from "./upload.js";

/** A package that was handed out. */
export interface FetchedKeyPackage {
  keyPackage: Buffer;
  /** Packages left, the last-resort one not counted. */
  remaining: number;
  lastResort: boolean;
}

/** The MLS key packages of this server's devices (specification, "KeyPackages"). */
export interface KeyPackagesService extends Expiry {
  start(): Promise<void>;
  stop(): void;
  /**
   * Stores what a device uploads, all of it or nothing. Throws INVALID_REQUEST, INVALID_SIGNATURE, CONFLICT where the
   * device would have too many, INVALID_TOKEN where it is not known any more.
   */
  upload(callerId: string, request: UploadRequest): Promise<Stored & { expiresAt: number }>;
  /** Hands a device's oldest package to the caller. Throws RATE_LIMIT_EXCEEDED, DEVICE_NOT_FOUND or NO_KEY_PACKAGES. */
  fetch(callerId: string, spelled: string): Promise<FetchedKeyPackage>;
  status(deviceId: string): Promise<Standing>;
  /** How many packages of a device can be handed out, the last-resort one not counted. */
  remaining(deviceId: string): Promise<number>;
  /** Has `listener` called, on every node, when a device may have few packages left. Hints may be lost. */
  onLow(listener: (deviceId: string) => void): void;
  /** Removes all that is kept of devices, in the caller's transaction. */
  forgetDevices(db: Db, ids: readonly string[]): Promise<void>;
}

export interface KeyPackagesDeps {
  db: Knex;
  clock: Clock;
  domain: string;
  devices: Pick<DevicesService, "find" | "resolve">;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  notifications: Pick<Notifications, "notify" | "listen">;
  secrets: Pick<Secrets, "get">;
  usedSignatures: Pick<UsedSignatures, "prepare" | "use">;
  config: UploadConfig &
    FetchLimitConfig &
    Pick<Config, "keyPackagesPerDevice" | "keyPackageLifetimeSeconds" | "keyPackagesLowMark" | "expiryStepRows">;
}

const voidedPerStep = 10_000;

export function createKeyPackagesService(deps: KeyPackagesDeps): KeyPackagesService {
  const { db, clock, domain, devices, metrics, usedSignatures, config } = deps;
  const fetchLimits = createFetchLimits(deps);
  const lowNotices = createLowNotices(deps);

  const caller = async (deviceId: string): Promise<Device> => {
    const device = await devices.find(db, deviceId);
    if (device === undefined) throw invalidToken("the device is not known here any more");
    return device;
  };

  return {
    ...createExpiry({ ...deps, lowNotices }),
    async start() {
      await fetchLimits.prepare();
      await usedSignatures.prepare();
      lowNotices.start();
    },
    stop: () => lowNotices.stop(),
    onLow: (listener) => lowNotices.onLow(listener),
    async upload(callerId, request) {
      const now = clock.nowSeconds();
      const rules = { domain, config, now };
      checkUploader(request, callerId);
      const upload = readUpload(request, rules);
      checkSigned(request, (await caller(callerId)).publicKey, rules);
      const expiresAt = now + config.keyPackageLifetimeSeconds;
      const place = { deviceId: callerId, now, expiresAt, limit: config.keyPackagesPerDevice };
      const signed = { text: keyPackagesText(request), timestamp: request.timestamp };
      const stored = await inTransaction(db, async (transaction) => {
        const isNew = await usedSignatures.use(transaction, signed);
        return isNew ? storeUpload(transaction, upload, place) : readStored(transaction, place);
      });
      metrics.count("key_packages_stored", stored.uploaded);
      lowNotices.changed(callerId, stored.available);
      return { ...stored, expiresAt };
    },
    async fetch(callerId, spelled) {
      const now = clock.nowSeconds();
      const device = await caller(callerId);
      fetchLimits.refuseBarred(device, now);
      const target = await devices.resolve(db, spelled);
      if (target === undefined) throw new RelayError("DEVICE_NOT_FOUND", "there is no such device");
      const targetId = target.deviceId;
      const handedOut = await inTransaction(db, async (transaction) => {
        await fetchLimits.count(transaction, { device, targetId, now });
        return handOut(transaction, { deviceId: targetId, now });
      }).catch((error: unknown) => {
        if (error instanceof RelayError && error.id === "NO_KEY_PACKAGES") metrics.count("key_packages_missing");
        throw error;
      });
      if (!handedOut.lastResort) {
        metrics.count("key_packages_fetched");
        lowNotices.changed(targetId, handedOut.remaining);
      }
      return handedOut;
    },
    status: (deviceId) => readStanding(db, { deviceId, now: clock.nowSeconds() }),
    remaining: (deviceId) => countAvailable(db, { deviceId, now: clock.nowSeconds() }),
    forgetDevices: deleteOfDevices,
  };
}

/** For a database that was restored from a backup: packages may have been handed out since, so none is any more. */
export async function voidKeyPackages(db: Db): Promise<void> {
  for (let voided = voidedPerStep; voided === voidedPerStep; ) voided = await voidSome(db, voidedPerStep);
}

/** The oldest package, or else the last-resort one. The account's lock makes those who come at once come in turn. */
async function handOut(db: Db, of: { deviceId: string; now: number }): Promise<FetchedKeyPackage> {
  const account = await lockAccount(db, of.deviceId);
  const oldest = account && (await takeOldest(db, of));
  if (oldest !== undefined) return { ...oldest, lastResort: false };
  const { lastResort = null, lastResortExpiresAt = null } = account ?? {};
  if (lastResort !== null && (lastResortExpiresAt ?? 0) > of.now) {
    return { keyPackage: lastResort, remaining: 0, lastResort: true };
  }
  throw new RelayError("NO_KEY_PACKAGES", "the device has no key package left");
}
