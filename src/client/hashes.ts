// The hash functions of this package, so that packages on top of it need no second copy. They are those of the library itself, which its HMAC and
// HKDF ask for their properties; the types name only what others may use.

import * as sha2 from "@noble/hashes/sha2.js";

type Hash = (bytes: Uint8Array) => Uint8Array;

export const sha256: Hash = sha2.sha256;
export const sha512: Hash = sha2.sha512;
