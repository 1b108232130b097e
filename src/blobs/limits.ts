import { type LimitRequest, limitRequest } from "../limits/limit-request.js";
import { limits } from "../limits/table.js";
import { siteKey } from "../platform/addresses/network-key.js";
import type { BlobSettings } from "./config.js";

/** The device that creates a blob. */
interface Creator {
  deviceId: string;
  isNew: boolean;
}

/**
 * How many blobs a device may create in an hour, how many bytes in a day, and how much of the space it may fill, where a short
 * lifetime counts less.
 */
export function creationLimits(
  { deviceId, isNew }: Creator,
  { bytes, lifetimeSeconds }: { bytes: number; lifetimeSeconds: number },
  config: BlobSettings,
): LimitRequest[] {
  const about = { ids: [deviceId], isReduced: isNew };
  const { newTierBlobBytesPerDay, blobBytesPerDay } = config;
  const perDay = { blobBytesPerDay, newTierBlobBytesPerDay: Math.min(newTierBlobBytesPerDay, blobBytesPerDay) };
  const partOfWindow = Math.min(1, lifetimeSeconds / limits.blob_storage.window);
  return [
    limitRequest("blobs_hour", about, config),
    limitRequest("blob_bytes_day", { ...about, cost: bytes }, perDay),
    limitRequest("blob_storage", { ...about, cost: Math.ceil(bytes * partOfWindow) }, config),
  ];
}

/**
 * How many bytes of blobs the devices of a network address may create in a day, and how much of the space they may fill, which is
 * less as soon as all blobs, which have `storedBytes`, need most of it.
 */
export function networkCreationLimits(
  ip: string,
  { bytes, storedBytes }: { bytes: number; storedBytes: number },
  config: BlobSettings,
): LimitRequest[] {
  const isReduced = storedBytes + bytes > config.blobStorageBytes * config.blobStorageOpenShare;
  return [
    limitRequest("network_blob_bytes_day", { ip, cost: bytes }, config),
    limitRequest("network_blob_storage", { ip: siteKey(ip) ?? ip, cost: bytes, isReduced }, config),
  ];
}

/** The bytes that all blobs may have with one of this device: new devices cannot fill the whole space. */
export function spaceFor({ isNew }: Pick<Creator, "isNew">, config: BlobSettings): number {
  return Math.floor(config.blobStorageBytes * (isNew ? config.blobStorageNewTierShare : 1));
}

/** How often a network address may ask for blobs in an hour, and for how many bytes in a day. */
export function downloadLimits(ip: string, bytes: number, config: BlobSettings): LimitRequest[] {
  return [
    limitRequest("blob_reads_hour", { ip }, config),
    limitRequest("blob_read_bytes_day", { ip, cost: bytes }, config),
  ];
}

const requestsPerPart = 4;
const moreRequests = 16;

/** How many requests may send parts of one blob, failed and repeated ones included. */
export function partRequestLimit(parts: number): number {
  return requestsPerPart * parts + moreRequests;
}
