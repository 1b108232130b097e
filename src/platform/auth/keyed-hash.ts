import { hash } from "node:crypto";

const lengthBytes = 4;
const keyBytes = 32;
/** A character of a text takes no more bytes of UTF-8 than this. */
const mostBytes = 3;
/** What most inputs fit into: memory of their own costs more than the hash. */
const scratch = Buffer.alloc(1024);

/**
 * SHA3-256 over the key and the parts, 32 bytes. SHA-3 has no way on from one hash to that of a longer text, so a key in
 * front makes it a keyed hash (NIST SP 800-185 builds KMAC on that). Each part is preceded by its length, so that no two
 * lists of parts give the same input; texts are hashed as UTF-8. The key has 32 bytes.
 */
export function keyedHash(key: Uint8Array, ...parts: readonly (Uint8Array | string)[]): Buffer {
  return Buffer.from(keyedHashText(key, ...parts), "latin1");
}

/** The same as text of one character per byte, as which it costs least and is a key of maps. */
export function keyedHashText(key: Uint8Array, ...parts: readonly (Uint8Array | string)[]): string {
  if (key.length !== keyBytes) throw new RangeError(`the key of a keyed hash has ${keyBytes} bytes`);
  let most = keyBytes;
  for (const part of parts) most += lengthBytes + (typeof part === "string" ? mostBytes : 1) * part.length;
  const input = most <= scratch.length ? scratch : Buffer.allocUnsafe(most);
  input.set(key);
  let end = keyBytes;
  for (const part of parts) {
    const begin = end + lengthBytes;
    const size = typeof part === "string" ? input.write(part, begin) : put(input, part, begin);
    input.writeUInt32BE(size, end);
    end = begin + size;
  }
  // Asked for bytes, it allocates outside the heap for each hash.
  return hash("sha3-256", input.subarray(0, end), "binary");
}

/** How much of a hash a day takes. */
export const dayBytes = 2;

/**
 * The hash with a day in place of its first bytes, so that those of one day lie together in an index and their pages are at
 * hand. Else, where very many are kept, each new one would bring a page of its own into memory, and all of it into the log.
 */
export function beginWithDay(day: number, hash: string): string {
  return String.fromCharCode((day >>> 8) & 0xff, day & 0xff) + hash.slice(dayBytes);
}

/** Hashes by which rows are found, as one value that a statement cuts up: an array would be written out in hexadecimal. */
export function joinHashes(hashes: readonly string[]) {
  return { keys: Buffer.from(hashes.join(""), "latin1"), keyBytes, count: hashes.length };
}

function put(input: Buffer, part: Uint8Array, at: number): number {
  input.set(part, at);
  return part.length;
}
