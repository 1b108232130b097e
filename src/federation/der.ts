/** One element of DER: where its content begins and where it ends, or undefined where the bytes are cut off. */
export function derElement(bytes: Uint8Array, start: number): { content: number; end: number } | undefined {
  const first = bytes[start + 1];
  if (first === undefined) return undefined;
  if (first < 0x80) return within(bytes, { content: start + 2, length: first });
  const lengthBytes = first & 0x7f;
  if (lengthBytes === 0 || lengthBytes > 4) return undefined;
  let length = 0;
  for (let i = 0; i < lengthBytes; i++) length = length * 256 + (bytes[start + 2 + i] ?? 0);
  return within(bytes, { content: start + 2 + lengthBytes, length });
}

/** The elements that stand one after the other; undefined where they are cut off or no sequences. */
export function splitSequences(bytes: Uint8Array, most: number): Uint8Array[] | undefined {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = bytes[at] === sequenceTag ? derElement(bytes, at) : undefined;
    if (element === undefined || parts.length === most) return undefined;
    parts.push(bytes.subarray(at, element.end));
    at = element.end;
  }
  return parts;
}

const sequenceTag = 0x30;

function within(bytes: Uint8Array, { content, length }: { content: number; length: number }) {
  const end = content + length;
  return end <= bytes.length ? { content, end } : undefined;
}
