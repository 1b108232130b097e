import type { Device } from "../devices/service.js";
import { siteKey } from "../platform/addresses/client-ip.js";
import { RelayError } from "../protocol/errors.js";
import { type LimitObserver, rateLimitExceeded } from "../protocol/rate-limit.js";
import { refuseBarred, trustTier } from "../protocol/trust-tier.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { ServerSettings } from "../settings/service.js";
import type { BlobSettings } from "./config.js";

interface DeviceContext {
  device: Device;
  now: number;
  settings: ServerSettings;
  config: BlobSettings;
}

const blobsLimitName = "blobs_hour";
const storageLimitName = "blob_storage";
const networkStorageLimitName = "network_blob_storage";
/** How long a device's blobs count towards its share of the space. */
const shareSeconds = 30 * daySeconds;

/** A share of the space that is used up is refused like the space itself. */
export function limitError(
  { name, message, limit, resetAt }: LimitRequest & { resetAt: number | null },
  now: number,
): RelayError {
  if (name === storageLimitName || name === networkStorageLimitName) return new RelayError("QUEUE_FULL", message);
  return rateLimitExceeded(message, { limit, resetAt, now });
}

/** Throws RATE_LIMIT_EXCEEDED with limit 0 for a device that is blocked or banned. */
export function refuseBarredCreation(device: Device, now: number, observer?: LimitObserver): void {
  const message = "this device may not create blobs at the moment";
  refuseBarred(device, { now, name: blobsLimitName, message }, observer);
}

export function isNewDevice({ device, now, settings }: Omit<DeviceContext, "config">): boolean {
  return trustTier({ ...device, now, settings }) === "new";
}

/** How many blobs a device may create in an hour, how many bytes in a day, and how much of the space it may fill. */
export function creationLimits(
  { bytes, lifetimeSeconds }: { bytes: number; lifetimeSeconds: number },
  about: DeviceContext,
): LimitRequest[] {
  const { config } = about;
  const isNew = isNewDevice(about);
  const subject = { ids: [about.device.deviceId] };
  return [
    {
      name: blobsLimitName,
      subject,
      windowSeconds: hourSeconds,
      limit: isNew ? config.newTierBlobsPerHour : config.blobsPerHour,
      message: "too many blobs in an hour",
    },
    {
      name: "blob_bytes_day",
      subject,
      windowSeconds: daySeconds,
      limit: isNew ? Math.min(config.newTierBlobBytesPerDay, config.blobBytesPerDay) : config.blobBytesPerDay,
      message: "too many bytes of blobs in a day",
      cost: bytes,
    },
    {
      name: storageLimitName,
      subject,
      windowSeconds: shareSeconds,
      limit: shareOf(isNew ? config.newTierBlobStorageShare : config.blobStorageDeviceShare, config),
      message: "this device's share of the space for blobs is used up",
      cost: Math.ceil(bytes * Math.min(1, lifetimeSeconds / shareSeconds)),
    },
  ];
}

/**
 * How much of the space the devices of a site may fill in a day: little once much of the space is taken, so that no site fills all of it.
 * It is not counted for longer, because no hash of a network address is kept for longer.
 */
export function siteStorageLimit(
  ip: string,
  { bytes, isCrowded, config }: { bytes: number; isCrowded: boolean; config: BlobSettings },
): LimitRequest {
  return {
    name: networkStorageLimitName,
    subject: { ip: siteKey(ip) ?? ip },
    windowSeconds: daySeconds,
    limit: shareOf(isCrowded ? config.crowdedBlobStorageSiteShare : config.blobStorageSiteShare, config),
    message: "the share of this network address of the space for blobs is used up for today",
    cost: bytes,
  };
}

/** Counted in windows under keyed hashes, so that no row says whose a blob is. */
function shareOf(share: number, { blobStorageBytes }: BlobSettings): number {
  return Math.floor(blobStorageBytes * share);
}

/** How many bytes the devices of a network address may create in a day. */
export function networkCreationLimit(ip: string, bytes: number, config: BlobSettings): LimitRequest {
  return {
    name: "network_blob_bytes_day",
    subject: { ip },
    windowSeconds: daySeconds,
    limit: config.blobBytesPerIpDay,
    message: "too many bytes of blobs from this network address in a day",
    cost: bytes,
  };
}

/** How often a network address may ask for blobs in an hour, and for how many bytes in a day. */
export function readLimits(ip: string, bytes: number, config: BlobSettings): LimitRequest[] {
  const subject = { ip };
  return [
    {
      name: "blob_reads_hour",
      subject,
      windowSeconds: hourSeconds,
      limit: config.blobReadsPerIpHour,
      message: "too many requests for blobs from this network address in an hour",
    },
    {
      name: "blob_read_bytes_day",
      subject,
      windowSeconds: daySeconds,
      limit: config.blobReadBytesPerIpDay,
      message: "too many bytes of blobs for this network address in a day",
      cost: bytes,
    },
  ];
}
