import { deviceIdOf } from "../protocol/identifiers.js";
import { publicKeyOf, sign } from "../protocol/signature.js";
import { runtimeWith } from "./runtime.js";

/** A device's identity towards the relay. The key may live elsewhere, such as in a key store: only `sign` uses it. */
export interface DeviceKeys {
  /** Lower-case hex of BLAKE3-256 over the public key. */
  readonly deviceId: string;
  /** Ed25519, 32 raw bytes. */
  readonly publicKey: Uint8Array;
  /** Ed25519 signature of the text as UTF-8, as 128 hex digits. */
  sign(text: string): string | Promise<string>;
}

/** The keys of a 32-byte Ed25519 secret key (RFC 8032). */
export function deviceKeysOf(secretKey: Uint8Array): DeviceKeys {
  const publicKey = publicKeyOf(secretKey);
  return { deviceId: deviceIdOf(publicKey), publicKey, sign: (text) => sign(secretKey, text) };
}

/** A new secret key. Keep it: it is the device, and nothing gives it back. */
export function newSecretKey(randomBytes = runtimeWith().randomBytes): Uint8Array {
  return randomBytes(32);
}
