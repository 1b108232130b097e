const initial = 0x9e3779b9 + 3923095;
const blockBytes = 12;
export const uuidBytes = 16;

/**
 * PostgreSQL's 32-bit hash of bytes, as a signed integer: `hashtext` of a text, `uuid_hash` of a UUID's 16 bytes. It is
 * Bob Jenkins' lookup3 (PostgreSQL, src/common/hashfn.c), and decides in which shard Citus puts a row.
 */
export function postgresHash(bytes: Uint8Array): number {
  const { a, b, c } = mixBlocks(bytes);
  const at = bytes.length - (bytes.length % blockBytes);
  // The lowest byte of c is reserved for the length.
  return mixEnd(a + word(bytes, at), b + word(bytes, at + 4), c + (word(bytes, at + 8) << 8));
}

/** The hash of a UUID's 16 bytes with another last byte; the bytes before it are mixed once, for all values. */
export function hashesByLastByte(bytes: Uint8Array): (lastByte: number) => number {
  const { a, b, c } = mixBlocks(bytes);
  const end = word(bytes, blockBytes) & 0xffffff;
  return (lastByte) => mixEnd(a + (end | (lastByte << 24)), b, c);
}

/** The state after all blocks except the last, incomplete one. */
function mixBlocks(bytes: Uint8Array): { a: number; b: number; c: number } {
  let a = (initial + bytes.length) | 0;
  let b = a;
  let c = a;
  for (let at = 0; bytes.length - at >= blockBytes; at += blockBytes) {
    a = (a + word(bytes, at)) | 0;
    b = (b + word(bytes, at + 4)) | 0;
    c = (c + word(bytes, at + 8)) | 0;
    a = ((a - c) | 0) ^ rotate(c, 4);
    c = (c + b) | 0;
    b = ((b - a) | 0) ^ rotate(a, 6);
    a = (a + c) | 0;
    c = ((c - b) | 0) ^ rotate(b, 8);
    b = (b + a) | 0;
    a = ((a - c) | 0) ^ rotate(c, 16);
    c = (c + b) | 0;
    b = ((b - a) | 0) ^ rotate(a, 19);
    a = (a + c) | 0;
    c = ((c - b) | 0) ^ rotate(b, 4);
    b = (b + a) | 0;
  }
  return { a, b, c };
}

function mixEnd(first: number, second: number, third: number): number {
  let a = first | 0;
  let b = second | 0;
  let c = third | 0;
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}

/** Four bytes, the lowest first; bytes beyond the end are 0. */
function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
