import type { Device } from "../devices/service.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
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

/** Throws RATE_LIMIT_EXCEEDED with limit 0 for a device that is blocked or banned. */
export function refuseBarredCreation(device: Device, now: number, observer?: LimitObserver): void {
  const message = "this device may not create blobs at the moment";
  refuseBarred(device, { now, name: blobsLimitName, message }, observer);
}

export function isNewDevice({ device, now, settings }: Omit<DeviceContext, "config">): boolean {
  return trustTier({ ...device, now, settings }) === "new";
}

/** How many blobs a device may create in an hour, and how many bytes in a day. */
export function creationLimits(bytes: number, about: DeviceContext): LimitRequest[] {
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
  ];
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
