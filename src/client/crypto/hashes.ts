// The hash functions of this package, so that packages on top of it need no second copy. They are those of the library itself, which its HMAC and
// HKDF ask for their properties; the types name only what others may use.

import * as hkdf from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import * as sha2 from "@noble/hashes/sha2.js";

type Hash = (bytes: Uint8Array) => Uint8Array;

export const sha256: Hash = sha2.sha256;
export const sha512: Hash = sha2.sha512;

/** RFC 2104. */
export function hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  return hmac(sha2.sha256, key, bytes);
}

/** RFC 5869, section 2.2. */
export function hkdfSha256Extract(salt: Uint8Array, secret: Uint8Array): Uint8Array {
  return hkdf.extract(sha2.sha256, secret, salt);
}

/** RFC 5869, section 2.3. */
export function hkdfSha256Expand(key: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  return hkdf.expand(sha2.sha256, key, info, length);
}
