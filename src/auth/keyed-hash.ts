import { hash } from "node:crypto";

const lengthBytes = 4;
const keyBytes = 32;
/** Maximum UTF-8 bytes of one UTF-16 code unit of a string. */
const maxBytes = 3;
/** Shared by inputs that fit, because allocating memory costs more than the hash itself. */
const scratch = Buffer.alloc(1024);

/**
 * SHA3-256 over the key and the parts; key and result have 32 bytes. SHA-3 does not allow length extension, so a key in
 * front is enough for a keyed hash (NIST SP 800-185 builds KMAC on this). Each part is preceded by its length, so that
 * no two lists of parts give the same input. Strings are hashed as UTF-8.
 */
export function keyedHash(key: Uint8Array, ...parts: readonly (Uint8Array | string)[]): Buffer {
  return Buffer.from(keyedHashText(key, ...parts), "latin1");
}

/** The same as a string of one character per byte: the cheapest form, and usable as the key of a map. */
export function keyedHashText(key: Uint8Array, ...parts: readonly (Uint8Array | string)[]): string {
  if (key.length !== keyBytes) throw new RangeError(`the key of a keyed hash has ${keyBytes} bytes`);
  let max = keyBytes;
  for (const part of parts) max += lengthBytes + (typeof part === "string" ? maxBytes : 1) * part.length;
  const input = max <= scratch.length ? scratch : Buffer.allocUnsafe(max);
  input.set(key);
  let end = keyBytes;
  for (const part of parts) {
    const begin = end + lengthBytes;
    const size = typeof part === "string" ? input.write(part, begin) : put(input, part, begin);
    input.writeUInt32BE(size, end);
    end = begin + size;
  }
  // The output form "buffer" would allocate memory outside the heap for each hash.
  return hash("sha3-256", input.subarray(0, end), "binary");
}

/** The number of bytes of a hash that its day replaces. */
const dayBytes = 2;

/**
 * The hash with a day in place of its first bytes, so that the hashes of one day are adjacent in an index and their
 * pages stay in memory. Otherwise each new hash of a large table would load a different page and write all of it to the
 * log.
 */
export function beginWithDay(day: number, hash: string): string {
  return String.fromCharCode((day >>> 8) & 0xff, day & 0xff) + hash.slice(dayBytes);
}

/**
 * Hashes of one length to look up rows by, as one value that the statement splits: an array would be sent in hexadecimal.
 */
export function joinHashes(hashes: readonly string[]) {
  const keyBytes = hashes[0]?.length ?? 0;
  return { keys: Buffer.from(hashes.join(""), "latin1"), keyBytes, count: hashes.length };
}

function put(input: Buffer, part: Uint8Array, at: number): number {
  input.set(part, at);
  return part.length;
}
