import { invalidToken } from "../auth/tokens.js";
import type { UsedSignatures } from "../auth/used-signatures.js";
import type { Database, Db } from "../database/db.js";
import type { Notifications } from "../database/pool/notifications.js";
import type { Device, DevicesService } from "../devices/service.js";
import { refuseBarred } from "../limits/barred.js";
import type { LimitRequest } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import { comparedDomain, parseAddress } from "../protocol/address.js";
import { RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { keyPackagesText } from "../protocol/signed-text.js";
import { isNewDevice } from "../protocol/trust-tier.js";
import type { SettingsService } from "../settings/service.js";
import { type ClaimAnswer, claimExpiry, createClaimId } from "./claim-id.js";
import { beginClaim, finishClaim, readClaim } from "./claim-store.js";
import { Claims, type ClaimsDeps } from "./claims.js";
import type { KeyPackageSettings } from "./config.js";
import { createExpiry, expiryOf } from "./expiry.js";
import { type Claimant, deviceLimits, fetchLimits, uploadLimit } from "./limits.js";
import { createLowNotices } from "./low-notices.js";
import { countAvailable, deleteOfDevices, type Pool, readStatus, voidSome } from "./store.js";
import { takeKeyPackage } from "./take-package.js";
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
export type { ClaimOutcome } from "./peer-claims.js";
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
export type KeyPackagesService = ReturnType<typeof createKeyPackagesService>;

const voidedPerStep = 10_000;

export function createKeyPackagesService(deps: {
  db: Database;
  clock: Clock;
  domain: string;
  random: ClaimsDeps["random"];
  devices: Pick<DevicesService, "find" | "resolve" | "activeHolderOf">;
  federation: ClaimsDeps["federation"];
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  notifications: Pick<Notifications, "notify" | "listen">;
  rateLimiter: Pick<RateLimiter, "count" | "take" | "giveBack">;
  usedSignatures: Pick<UsedSignatures, "prepare" | "use">;
  config: UploadConfig & KeyPackageSettings & ClaimsDeps["config"] & Pick<NodeSettings, "expiryStepRows">;
}) {
  const { db, clock, domain, devices, metrics, rateLimiter, usedSignatures, config } = deps;
  const claimantOf = (device: Device): Claimant => {
    const isNew = isNewDevice(device, { now: clock.nowSeconds(), settings: deps.settings.current() });
    return { deviceId: device.deviceId, isNew };
  };
  const lowNotices = createLowNotices(deps);

  const caller = async (deviceId: string): Promise<Device> => {
    const device = await devices.find(db, deviceId);
    if (device === undefined) throw invalidToken("the device is no longer registered here");
    return device;
  };

  /** The pool of a device's address, or the one for all of them. Throws INVALID_ADDRESS and ADDRESS_NOT_FOUND. */
  const poolOf = async (deviceId: string, text: string | undefined): Promise<Pool> => {
    if (text === undefined) return { deviceId, prefix: null };
    const address = parseAddress(text, { ownDomain: domain, privateAllowed: config.federationAllowPrivate });
    if (address === undefined) throw new RelayError("INVALID_ADDRESS", "this is not a delivery address");
    const { prefix } = address;
    const isOwn = comparedDomain(address.domain) === comparedDomain(domain);
    if (!isOwn || (await devices.activeHolderOf(db, prefix, clock.nowSeconds())) !== deviceId)
      throw new RelayError("ADDRESS_NOT_FOUND", "the device has no such active address");
    return { deviceId, prefix };
  };
  const claims = new Claims({
    ...deps,
    findCaller: caller,
    given(targetId, { lastResort, isShared, remaining }) {
      if (lastResort) return;
      metrics.count("key_packages_fetched");
      if (isShared) lowNotices.changed(targetId, remaining);
    },
    missed: () => metrics.count("key_packages_missing"),
  });

  return {
    claims,
    ...createExpiry({ ...deps, lowNotices }),
    async start(): Promise<void> {
      await usedSignatures.prepare();
      lowNotices.start();
    },
    stop: () => lowNotices.stop(),
    /** Calls `listener`, on every node, when a device may have few packages left. Notices may be lost. */
    onLow: (listener: (deviceId: string) => void) => lowNotices.onLow(listener),
    /**
     * Stores all packages of an upload or none. Throws INVALID_REQUEST, INVALID_SIGNATURE, RATE_LIMIT_EXCEEDED, CONFLICT if
     * the device would have too many, ADDRESS_NOT_FOUND if it does not have the address, or INVALID_TOKEN if it is no longer
     * registered.
     */
    async upload(
      callerId: string,
      request: UploadRequest,
      observer?: LimitObserver,
    ): Promise<StoredUpload & { expiresAt: number }> {
      const now = clock.nowSeconds();
      const rules = { domain, config, now };
      checkUploader(request, callerId);
      const upload = readUpload(request, rules);
      checkSigned(request, (await caller(callerId)).publicKey, rules);
      const expiresAt = expiryOf(now, config);
      const pool = await poolOf(callerId, request.address);
      const target = { ...pool, now, expiresAt, limit: config.keyPackagesPerDevice };
      const signed = { text: keyPackagesText(request), timestamp: request.timestamp };
      const stored = await db.transaction(async (transaction) => {
        const isNew = await usedSignatures.use(transaction, signed);
        const limit = uploadLimit(callerId, { isRepeated: !isNew }, config);
        await rateLimiter.count(transaction, [limit], observer);
        return isNew ? storeUpload(transaction, upload, target) : readStored(transaction, target);
      });
      metrics.count("key_packages_stored", stored.uploaded);
      if (pool.prefix === null) lowNotices.changed(callerId, stored.available);
      return { ...stored, expiresAt };
    },
    /**
     * Takes a device's oldest package for the caller, or gives the one again that the same claim has got. Throws RATE_LIMIT_EXCEEDED,
     * DEVICE_NOT_FOUND or NO_KEY_PACKAGES.
     */
    async fetch(
      callerId: string,
      { deviceId: spelled, claimId }: { deviceId: string; claimId: Uint8Array | undefined },
      observer?: LimitObserver,
    ): Promise<FetchedKeyPackage> {
      const now = clock.nowSeconds();
      const device = await caller(callerId);
      refuseBarred("key_package_fetches", { device, now }, observer);
      const target = await devices.resolve(db, spelled);
      if (target === undefined) throw new RelayError("DEVICE_NOT_FOUND", "there is no such device");
      const targetId = target.deviceId;
      const answer = claimId && createClaimId(claimId, callerId, deps.random).answerFor({ deviceId: targetId });
      const again = async (trx: Db, { name, open }: ClaimAnswer): Promise<FetchedKeyPackage | undefined> => {
        const sealed = await readClaim(trx, { claim: name, now });
        if (sealed === undefined) return undefined;
        return { ...open(sealed), remaining: await countAvailable(trx, { deviceId: targetId, prefix: null, now }) };
      };
      let isNew = true;
      const fetched = await db
        .transaction(async (transaction): Promise<FetchedKeyPackage> => {
          if (answer && !(await beginClaim(transaction, { claim: answer.name, now, expiresAt: claimExpiry(now) }))) {
            const known = await again(transaction, answer);
            if (known !== undefined) {
              isNew = false;
              return known;
            }
          }
          const { all, ofTarget } = fetchLimits(claimantOf(device), targetId, config);
          await rateLimiter.count(transaction, [all, ofTarget], observer);
          const taken = await takeKeyPackage(transaction, { deviceId: targetId, now });
          if (answer) await finishClaim(transaction, { claim: answer.name, sealed: answer.seal(taken) });
          return taken;
        })
        .catch((error: unknown) => {
          if (error instanceof RelayError && error.id === "NO_KEY_PACKAGES") metrics.count("key_packages_missing");
          throw error;
        });
      if (isNew && !fetched.lastResort) {
        metrics.count("key_packages_fetched");
        lowNotices.changed(targetId, fetched.remaining);
      }
      return fetched;
    },
    /** With an address, of the packages for that address. Throws ADDRESS_NOT_FOUND if the device does not have it. */
    status: async (deviceId: string, address?: string) =>
      readStatus(db, { ...(await poolOf(deviceId, address)), now: clock.nowSeconds() }),
    /** Counts the packages of a device that can be fetched, without the last-resort package. */
    remaining: (deviceId: string) => countAvailable(db, { deviceId, prefix: null, now: clock.nowSeconds() }),
    /** The limits of a device's uploads, of its total fetches and of its claims. */
    limitsOf: (device: Device): LimitRequest[] => deviceLimits(claimantOf(device), config),
    /** Deletes every row of devices, in the caller's transaction. */
    forgetDevices: deleteOfDevices,
  };
}

/** Voids the packages of a restored database: they may have been fetched after the backup was taken. */
export async function voidKeyPackages(db: Db): Promise<void> {
  for (let voided = voidedPerStep; voided === voidedPerStep; ) voided = await voidSome(db, voidedPerStep);
}
