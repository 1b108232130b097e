// Lengths that say little: uint32 length | content | zeros. The sizes are those of Padmé (Nikitin et al., "Reducing metadata
// leakage from encrypted files and communication with PURBs", 2019): of a size of n bytes only O(log log n) bits show.

const minBytes = 512;
const lengthBytes = 4;

/**
 * Pads content so that it takes a size of Padmé together with the bytes around it: at least 512, and no more than `maxBytes`.
 * Throws a RangeError if that is too little.
 */
export function pad(content: Uint8Array, { around, maxBytes }: { around: number; maxBytes: number }): Uint8Array {
  const size = paddedSize(around + lengthBytes + content.length, maxBytes);
  const padded = new Uint8Array(size - around);
  new DataView(padded.buffer).setUint32(0, content.length);
  padded.set(content, lengthBytes);
  return padded;
}

/** The content; undefined if its length or the padding is wrong. */
export function unpad(padded: Uint8Array): Uint8Array | undefined {
  if (padded.length < lengthBytes) return undefined;
  const end = lengthBytes + new DataView(padded.buffer, padded.byteOffset).getUint32(0);
  if (end > padded.length) return undefined;
  for (let at = end; at < padded.length; at++) if (padded[at] !== 0) return undefined;
  // The `slice` of a Buffer would share its memory.
  return new Uint8Array(padded.subarray(lengthBytes, end));
}

/** The size that this many bytes are padded to. */
export function paddedSize(bytes: number, maxBytes: number): number {
  if (bytes > maxBytes) throw new RangeError(`the content takes ${bytes} bytes of at most ${maxBytes}`);
  const least = Math.max(minBytes, bytes);
  const exponent = bitLength(least) - 1;
  const step = 2 ** (exponent - bitLength(exponent));
  return Math.min(maxBytes, step * Math.ceil(least / step));
}

function bitLength(number: number): number {
  return 32 - Math.clz32(number);
}
