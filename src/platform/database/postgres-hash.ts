const initial = 0x9e3779b9 + 3923095;
const blockBytes = 12;

/**
 * PostgreSQL's 32-bit hash of bytes, as a signed integer: `hashtext` of a text, `uuid_hash` of a UUID's 16 bytes. It is
 * Bob Jenkins' lookup3 (PostgreSQL, src/common/hashfn.c), and decides in which shard Citus puts a row.
 */
export function postgresHash(bytes: Uint8Array): number {
  let a = (initial + bytes.length) | 0;
  let b = a;
  let c = a;
  let at = 0;
  for (; bytes.length - at >= blockBytes; at += blockBytes) {
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
  a = (a + word(bytes, at)) | 0;
  b = (b + word(bytes, at + 4)) | 0;
  // The lowest byte of c is reserved for the length.
  c = (c + (word(bytes, at + 8) << 8)) | 0;
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
