// HKDF-SHA256 of HPKE in JavaScript. Web Crypto imports a key and asks another thread for each hash, which takes ten times as long.

import { HkdfSha256 } from "@hpke/core";
import { hkdfSha256Expand, hkdfSha256Extract } from "./hashes.js";

export type Bytes = ArrayBufferLike | ArrayBufferView;

export class SynchronousHkdf extends HkdfSha256 {
  override async extract(salt: Bytes, secret: Bytes): Promise<ArrayBuffer> {
    return bufferOf(hkdfSha256Extract(bytesOf(salt), bytesOf(secret)));
  }

  override async expand(key: Bytes, info: Bytes, length: number): Promise<ArrayBuffer> {
    return bufferOf(hkdfSha256Expand(bytesOf(key), bytesOf(info), length));
  }

  override async extractAndExpand(...given: Parameters<HkdfSha256["extractAndExpand"]>): Promise<ArrayBuffer> {
    const [salt, secret, info, length] = given;
    return this.expand(hkdfSha256Extract(bytesOf(salt), bytesOf(secret)), info, length);
  }
}

export function bytesOf(given: Bytes): Uint8Array {
  return ArrayBuffer.isView(given)
    ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    : new Uint8Array(given);
}

/** A buffer with these bytes alone. */
export function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
