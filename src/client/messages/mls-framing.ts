/**
 * Whether these bytes are an MLSMessage with a commit (RFC 9420, section 6): a version, a wire format (1 public, 2 private), the
 * group's id and the epoch; if it is public, then the sender and a vector of authenticated data; then the type of the content.
 */
export function isCommit(bytes: Uint8Array): boolean {
  const wireFormat = bytes[3];
  if (bytes[0] !== 0 || bytes[1] !== 1 || bytes[2] !== 0 || (wireFormat !== 1 && wireFormat !== 2)) return false;
  let at = afterVector(bytes, 4) + 8;
  // A member or an external sender has an index, the others have none.
  if (wireFormat === 1) at = afterVector(bytes, at + ((bytes[at] ?? 0) > 2 ? 1 : 5));
  return bytes[at] === 3;
}

/** The end of a vector, whose length takes 1, 2 or 4 bytes (RFC 9000, section 16). */
function afterVector(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const size = 1 << (first >> 6);
  let length = first & 63;
  for (let i = 1; i < size; i++) length = length * 256 + (bytes[at + i] ?? 0);
  return at + size + length;
}
