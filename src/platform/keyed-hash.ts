import { hash } from "node:crypto";

const lengthBytes = 4;
const keyBytes = 32;

/**
 * SHA3-256 over the key and the parts, 32 bytes. SHA-3 has no way on from one hash to that of a longer text, so a key in
 * front makes it a keyed hash (NIST SP 800-185 builds KMAC on that). Each part is preceded by its length, so that no two
 * lists of parts give the same input; texts are hashed as UTF-8. The key has 32 bytes.
 */
export function keyedHash(key: Uint8Array, ...parts: readonly (Uint8Array | string)[]): Buffer {
  if (key.length !== keyBytes) throw new RangeError(`the key of a keyed hash has ${keyBytes} bytes`);
  let length = keyBytes;
  for (const part of parts) length += lengthBytes + sizeOf(part);
  const input = Buffer.allocUnsafe(length);
  input.set(key);
  let offset = keyBytes;
  for (const part of parts) {
    const size = sizeOf(part);
    offset = input.writeUInt32BE(size, offset);
    if (typeof part === "string") input.write(part, offset);
    else input.set(part, offset);
    offset += size;
  }
  // Asked for bytes, it allocates outside the heap for each hash.
  return Buffer.from(hash("sha3-256", input, "binary"), "binary");
}

function sizeOf(part: Uint8Array | string): number {
  return typeof part === "string" ? Buffer.byteLength(part) : part.length;
}
