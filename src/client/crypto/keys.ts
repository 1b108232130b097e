import { deviceIdOf as idOf, publicKeyBytes } from "../../protocol/identifiers.js";
import { publicKeyOf, sign } from "../../protocol/signature.js";
import { demand, demandBytes, demandFunction, demandOptions } from "../runtime/arguments.js";
import { runtimeWith } from "../runtime/runtime.js";

/** A device's identity towards the relay. Only `sign` uses the secret key, so the key may be in a key store. */
export interface DeviceKeys {
  /** Lower-case hex of BLAKE3-256 over the public key. */
  readonly deviceId: string;
  /** Ed25519, 32 raw bytes. */
  readonly publicKey: Uint8Array;
  /** Ed25519 signature of the text as UTF-8, as 128 hex digits. */
  sign(text: string): string | Promise<string>;
}

const secretKeyBytes = 32;

/** The device id of an Ed25519 public key (32 raw bytes). */
export function deviceIdOf(publicKey: Uint8Array): string {
  return idOf(publicKey);
}

/** The keys that belong to a 32-byte Ed25519 secret key (RFC 8032). */
export function deviceKeysOf(secretKey: Uint8Array): DeviceKeys {
  demandBytes(secretKey, "secretKey", secretKeyBytes);
  const publicKey = publicKeyOf(secretKey);
  return { deviceId: deviceIdOf(publicKey), publicKey, sign: (text) => sign(secretKey, text) };
}

/** A new secret key. Store it: it is the identity of the device and cannot be recovered. */
export function newSecretKey(randomBytes = runtimeWith().randomBytes): Uint8Array {
  return randomBytes(secretKeyBytes);
}

export function demandKeys(keys: DeviceKeys): void {
  demandOptions(keys, "keys");
  demandBytes(keys.publicKey, "keys.publicKey", publicKeyBytes);
  const expected = "the id of keys.publicKey, as deviceKeysOf makes it";
  demand(keys.deviceId === deviceIdOf(keys.publicKey), keys.deviceId, { what: "keys.deviceId", expected });
  demandFunction(keys.sign, "keys.sign");
}
