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
