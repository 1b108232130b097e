import { invalidToken } from "../auth/tokens.js";
import type { UsedSignatures } from "../auth/used-signatures.js";
import type { Database, Db } from "../database/db.js";
import type { Notifications } from "../database/notifications.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import { RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { keyPackagesText } from "../protocol/signed-text.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { SettingsService } from "../settings/service.js";
import type { KeyPackageSettings } from "./config.js";
import { createExpiry, type Expiry } from "./expiry.js";
import { fetchLimit, type KeyPackageLimitConfig, refuseBarredFetch, targetLimit, uploadLimit } from "./limits.js";
import { createLowNotices } from "./low-notices.js";
import {
  countAvailable,
  deleteOfDevices,
  type KeyPackageStatus,
  lockAccount,
  readStatus,
  takeOldest,
  voidSome,
} from "./store.js";
import {
  checkSigned,
  checkUploader,
  readStored,
  readUpload,
  type StoredUpload,
  storeUpload,
  type UploadConfig,
  type UploadRequest,
} from "./upload.js";

export { scheduleKeyPackageJobs } from "./expiry.js";
export type { KeyPackageStatus } from "./store.js";
export type { StoredUpload, UploadRequest } from "./upload.js";

/** A package that was fetched. */
interface FetchedKeyPackage {
  keyPackage: Buffer;
  /** The number of packages left, without the last-resort package. */
  remaining: number;
  lastResort: boolean;
}

/** The MLS key packages of this server's devices (specification, "KeyPackages"). */
export interface KeyPackagesService extends Expiry {
  start(): Promise<void>;
  stop(): void;
  /**
   * Stores all packages of an upload or none. Throws INVALID_REQUEST, INVALID_SIGNATURE, RATE_LIMIT_EXCEEDED, CONFLICT if
   * the device would have too many, or INVALID_TOKEN if it is no longer registered.
   */
  upload(
    callerId: string,
    request: UploadRequest,
    observer?: LimitObserver,
  ): Promise<StoredUpload & { expiresAt: number }>;
  /** Takes a device's oldest package for the caller. Throws RATE_LIMIT_EXCEEDED, DEVICE_NOT_FOUND or NO_KEY_PACKAGES. */
  fetch(callerId: string, spelled: string, observer?: LimitObserver): Promise<FetchedKeyPackage>;
  status(deviceId: string): Promise<KeyPackageStatus>;
  /** Counts the packages of a device that can be fetched, without the last-resort package. */
  remaining(deviceId: string): Promise<number>;
  /** Calls `listener`, on every node, when a device may have few packages left. Notices may be lost. */
  onLow(listener: (deviceId: string) => void): void;
  /** The limits of a device's uploads and of its total fetches. */
  limitsOf(device: Device): LimitRequest[];
  /** Deletes every row of devices, in the caller's transaction. */
  forgetDevices(db: Db, ids: readonly string[]): Promise<void>;
}

interface KeyPackagesDeps {
  db: Database;
  clock: Clock;
  domain: string;
  devices: Pick<DevicesService, "find" | "resolve">;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  notifications: Pick<Notifications, "notify" | "listen">;
  rateLimiter: Pick<RateLimiter, "count">;
  usedSignatures: Pick<UsedSignatures, "prepare" | "use">;
  config: UploadConfig &
    KeyPackageLimitConfig &
    Pick<KeyPackageSettings, "keyPackagesPerDevice" | "keyPackageLifetimeSeconds" | "keyPackagesLowMark"> &
    Pick<NodeSettings, "expiryStepRows">;
}

const voidedPerStep = 10_000;

export function createKeyPackagesService(deps: KeyPackagesDeps): KeyPackagesService {
  const { db, clock, domain, devices, metrics, rateLimiter, usedSignatures, config } = deps;
  const limited = (device: Device, now: number) => ({ device, now, settings: deps.settings.current(), config });
  const lowNotices = createLowNotices(deps);

  const caller = async (deviceId: string): Promise<Device> => {
    const device = await devices.find(db, deviceId);
    if (device === undefined) throw invalidToken("the device is no longer registered here");
    return device;
  };

  return {
    ...createExpiry({ ...deps, lowNotices }),
    async start() {
      await usedSignatures.prepare();
      lowNotices.start();
    },
    stop: () => lowNotices.stop(),
    onLow: (listener) => lowNotices.onLow(listener),
    async upload(callerId, request, observer) {
      const now = clock.nowSeconds();
      const rules = { domain, config, now };
      checkUploader(request, callerId);
      const upload = readUpload(request, rules);
      checkSigned(request, (await caller(callerId)).publicKey, rules);
      const expiresAt = now + config.keyPackageLifetimeSeconds;
      const target = { deviceId: callerId, now, expiresAt, limit: config.keyPackagesPerDevice };
      const signed = { text: keyPackagesText(request), timestamp: request.timestamp };
      const stored = await db.transaction(async (transaction) => {
        const isNew = await usedSignatures.use(transaction, signed);
        const limit = { ...uploadLimit(callerId, config), cost: isNew ? 1 : 0 };
        await rateLimiter.count(transaction, [limit], observer);
        return isNew ? storeUpload(transaction, upload, target) : readStored(transaction, target);
      });
      metrics.count("key_packages_stored", stored.uploaded);
      lowNotices.changed(callerId, stored.available);
      return { ...stored, expiresAt };
    },
    async fetch(callerId, spelled, observer) {
      const now = clock.nowSeconds();
      const device = await caller(callerId);
      refuseBarredFetch(device, now, observer);
      const target = await devices.resolve(db, spelled);
      if (target === undefined) throw new RelayError("DEVICE_NOT_FOUND", "there is no such device");
      const targetId = target.deviceId;
      const fetched = await db
        .transaction(async (transaction) => {
          const limits = [fetchLimit(limited(device, now)), targetLimit(targetId, limited(device, now))];
          await rateLimiter.count(transaction, limits, observer);
          return takeKeyPackage(transaction, { deviceId: targetId, now });
        })
        .catch((error: unknown) => {
          if (error instanceof RelayError && error.id === "NO_KEY_PACKAGES") metrics.count("key_packages_missing");
          throw error;
        });
      if (!fetched.lastResort) {
        metrics.count("key_packages_fetched");
        lowNotices.changed(targetId, fetched.remaining);
      }
      return fetched;
    },
    status: (deviceId) => readStatus(db, { deviceId, now: clock.nowSeconds() }),
    remaining: (deviceId) => countAvailable(db, { deviceId, now: clock.nowSeconds() }),
    limitsOf: (device) => [uploadLimit(device.deviceId, config), fetchLimit(limited(device, clock.nowSeconds()))],
    forgetDevices: deleteOfDevices,
  };
}

/** Voids the packages of a restored database: they may have been fetched after the backup was taken. */
export async function voidKeyPackages(db: Db): Promise<void> {
  for (let voided = voidedPerStep; voided === voidedPerStep; ) voided = await voidSome(db, voidedPerStep);
}

/** Takes the oldest package, or else the last-resort one. The account's lock makes concurrent fetches run one by one. */
async function takeKeyPackage(db: Db, of: { deviceId: string; now: number }): Promise<FetchedKeyPackage> {
  const account = await lockAccount(db, of.deviceId);
  const oldest = account && (await takeOldest(db, of));
  if (oldest !== undefined) return { ...oldest, lastResort: false };
  const { lastResort = null, lastResortExpiresAt = null } = account ?? {};
  if (lastResort !== null && (lastResortExpiresAt ?? 0) > of.now) {
    return { keyPackage: lastResort, remaining: 0, lastResort: true };
  }
  throw new RelayError("NO_KEY_PACKAGES", "the device has no key package left");
}
