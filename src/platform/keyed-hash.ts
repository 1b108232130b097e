import { blake3 } from "@noble/hashes/blake3.js";

const lengthBytes = 4;
const encoder = new TextEncoder();

/**
 * BLAKE3 in keyed mode over the parts, 32 bytes. Each part is preceded by its length, so that no two lists of parts
 * give the same input; texts are hashed as UTF-8. The key has 32 bytes.
 */
export function keyedHash(key: Uint8Array, ...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const bytes = parts.map((part) => (typeof part === "string" ? encoder.encode(part) : part));
  const input = new Uint8Array(bytes.reduce((sum, part) => sum + lengthBytes + part.length, 0));
  const view = new DataView(input.buffer);
  let offset = 0;
  for (const part of bytes) {
    view.setUint32(offset, part.length);
    input.set(part, offset + lengthBytes);
    offset += lengthBytes + part.length;
  }
  return blake3(input, { key });
}
