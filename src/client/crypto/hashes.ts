// The hash functions of this package, so that packages on top of it need no second copy. The types name only what others may use of the library's
// own ones.

import { hmac } from "@noble/hashes/hmac.js";
import * as sha2 from "@noble/hashes/sha2.js";
import { concatBytes } from "../../protocol/encodings.js";
import { builtinModule } from "../runtime/builtin-module.js";

type Hash = (bytes: Uint8Array) => Uint8Array;

export const sha256: Hash = sha2.sha256;
export const sha512: Hash = sha2.sha512;

/** The part of Node's crypto that is used here. The client is compiled without the types of Node.js. */
interface NativeHashes {
  createHmac(hash: "sha256", key: Uint8Array): { update(bytes: Uint8Array): { digest(): Uint8Array } };
}

/** Takes a third of the time that JavaScript takes for the few bytes of a key. */
const native = builtinModule<NativeHashes>("node:crypto");

/** RFC 2104. */
export function hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (native === undefined) return hmac(sha2.sha256, key, bytes);
  return new Uint8Array(native.createHmac("sha256", key).update(bytes).digest());
}

/** RFC 5869, section 2.2. */
export function hkdfSha256Extract(salt: Uint8Array, secret: Uint8Array): Uint8Array {
  return hmacSha256(salt, secret);
}

const hashBytes = 32;
const maxBlocks = 255;

/** RFC 5869, section 2.3. */
export function hkdfSha256Expand(key: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  const count = Math.ceil(length / hashBytes);
  if (count > maxBlocks) throw new Error(`HKDF gives at most ${maxBlocks * hashBytes} bytes`);
  const blocks: Uint8Array[] = [];
  for (let number = 1; number <= count; number++)
    blocks.push(hmacSha256(key, concatBytes(blocks.at(-1) ?? new Uint8Array(), info, Uint8Array.of(number))));
  return concatBytes(...blocks).slice(0, length);
}
