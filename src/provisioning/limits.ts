import { decodedLength } from "../protocol/encodings.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import { hourSeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { ProvisioningSettings } from "./config.js";

/** How many addresses a network address may open. */
export function openingLimit(ip: string, config: ProvisioningSettings): LimitRequest {
  return {
    name: "linking_addresses",
    subject: { ip },
    limit: config.provisioningPerIpHour,
    windowSeconds: hourSeconds,
    message: "too many provisioning addresses for this network address",
  };
}

/** How many blobs a device may leave. Each attempt counts. */
export function blobLimit(deviceId: string, config: ProvisioningSettings): LimitRequest {
  return {
    name: "linking_blobs",
    subject: { ids: [deviceId] },
    limit: config.linkingBlobsPerDeviceHour,
    windowSeconds: hourSeconds,
    message: "too many linking blobs of this device in an hour",
  };
}

/** Checks how long an address is to live. Throws INVALID_REQUEST. */
export function checkLifetime(ttlSeconds: number, config: ProvisioningSettings): void {
  const { provisioningMinTtlSeconds: min, provisioningMaxTtlSeconds: max } = config;
  if (ttlSeconds < min || ttlSeconds > max) throw invalidMember("ttl_seconds", `must be ${min} to ${max}`);
}

/** Checks the size of a blob, given in base64. Throws MESSAGE_TOO_LARGE. */
export function checkBlobSize(text: string, { provisioningBlobBytes: max }: ProvisioningSettings): void {
  if (decodedLength(text) > max) throw new RelayError("MESSAGE_TOO_LARGE", `ciphertext is over ${max} bytes`);
}
