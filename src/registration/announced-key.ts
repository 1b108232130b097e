import { decodeHex, encodeHex, equalBytes } from "../protocol/encodings.js";
import { invalidMember } from "../protocol/errors.js";
import { deviceIdOf } from "../protocol/identifiers.js";
import type { PrefixRequest, RegistrationRequest } from "./types.js";

/** Throws INVALID_REQUEST unless `device_id` belongs to the key of a registration. */
export function checkDeviceId({ deviceId, publicKey }: Pick<RegistrationRequest, "deviceId" | "publicKey">): void {
  if (deviceId.toLowerCase() !== deviceIdOf(publicKey)) throw invalidMember("device_id", "must be Blake3(public_key)");
}

/**
 * The key of an unknown device that announces prefixes: `public_key`, which `device_id` must match, or else `device_id` itself, which may
 * be the key in this flow. Throws INVALID_REQUEST.
 */
export function keyOf(request: Pick<PrefixRequest, "deviceId" | "publicKey">): Uint8Array {
  const id = decodeHex(request.deviceId) ?? new Uint8Array();
  const { publicKey } = request;
  if (publicKey === undefined || equalBytes(publicKey, id)) return id;
  if (deviceIdOf(publicKey) === encodeHex(id)) return publicKey;
  throw invalidMember("device_id", "must be public_key or Blake3(public_key)");
}
