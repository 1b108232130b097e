// The hash functions of this package, so that packages on top of it need no second copy.

import * as sha2 from "@noble/hashes/sha2.js";

export function sha256(bytes: Uint8Array): Uint8Array {
  return sha2.sha256(bytes);
}

export function sha512(bytes: Uint8Array): Uint8Array {
  return sha2.sha512(bytes);
}
