import { type LimitRequest, limitRequest } from "../limits/limit-request.js";
import { decodedLength } from "../protocol/encodings.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import type { ProvisioningSettings } from "./config.js";

/** Checks how long an address is to live. Throws INVALID_REQUEST. */
export function checkLifetime(ttlSeconds: number, config: ProvisioningSettings): void {
  const { provisioningMinTtlSeconds: min, provisioningMaxTtlSeconds: max } = config;
  if (ttlSeconds < min || ttlSeconds > max) throw invalidMember("ttl_seconds", `must be ${min} to ${max}`);
}

/** Checks the size of a blob, given in base64. Throws MESSAGE_TOO_LARGE. */
export function checkBlobSize(text: string, { provisioningBlobBytes: max }: ProvisioningSettings): void {
  if (decodedLength(text) > max) throw new RelayError("MESSAGE_TOO_LARGE", `ciphertext is over ${max} bytes`);
}

/** How many addresses the new devices of a network address may open in an hour. */
export function openingLimit(ip: string, config: ProvisioningSettings): LimitRequest {
  return limitRequest("linking_addresses", { ip }, config);
}

/** How many blobs a device may leave in an hour. Every attempt counts. */
export function blobLimit(deviceId: string, config: ProvisioningSettings): LimitRequest {
  return limitRequest("linking_blobs", { ids: [deviceId] }, config);
}

/** How many short codes a device may try in an hour, wrong or not. */
export function codeLimit(deviceId: string, config: ProvisioningSettings): LimitRequest {
  return limitRequest("linking_codes", { ids: [deviceId] }, config);
}
