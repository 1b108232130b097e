/** An element of DER (X.690): its tag, all of its bytes, and its content. */
export interface DerElement {
  readonly tag: number;
  readonly whole: Buffer;
  readonly value: Buffer;
}

/** Maximum number of elements in one element. The longest are lists of names. */
const maxChildren = 1_000;

/**
 * The element that begins at `start`. Parsing is strict, because an attacker can exploit parsers that accept different
 * input: tags have one byte, and lengths are in their shortest form and within the bytes. Undefined for anything else.
 */
function derElement(bytes: Buffer, start = 0): DerElement | undefined {
  const [tag, first] = [bytes[start], bytes[start + 1]];
  if (tag === undefined || first === undefined || (tag & longTag) === longTag) return undefined;
  if (first < longForm) return within(bytes, { tag, start, content: start + 2, length: first });
  const lengthBytes = first - longForm;
  const content = start + 2 + lengthBytes;
  if (lengthBytes === 0 || lengthBytes > maxLengthBytes || content > bytes.length) return undefined;
  const length = bytes.readUIntBE(start + 2, lengthBytes);
  const isShortest = length >= longForm && length >= 256 ** (lengthBytes - 1);
  return isShortest ? within(bytes, { tag, start, content, length }) : undefined;
}

/** A series of elements. Undefined if they are malformed or more than `max`. */
export function derElements(bytes: Buffer, max = maxChildren): DerElement[] | undefined {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = derElement(bytes, at);
    if (element === undefined || elements.length === max) return undefined;
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** The content of an element. Throws if the bytes are not exactly one element with this tag. */
export function derValue(bytes: Buffer, tag: number): Buffer {
  const element = derElement(bytes);
  if (element?.tag !== tag || element.whole.length !== bytes.length) throw malformed();
  return element.value;
}

/** The elements of a sequence. Throws if the bytes are not a sequence. */
export function derSequence(bytes: Buffer): DerElement[] {
  const elements = derElements(derValue(bytes, derTags.sequence));
  if (elements === undefined) throw malformed();
  return elements;
}

/** An object identifier in dotted form. Throws if the bytes are not an object identifier. */
export function derOid(bytes: Buffer): string {
  const value = derValue(bytes, derTags.oid);
  if (value.length === 0 || value.length > longestOid || (value.at(-1) ?? 0) >= longForm) throw malformed();
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const byte of value) {
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    if (byte < longForm) {
      arcs.push(arc);
      arc = 0n;
    }
  }
  const [both = 0n, ...rest] = arcs;
  const first = both < 80n ? both / 40n : 2n;
  return [first, both - first * 40n, ...rest].join(".");
}

/** The bytes of an integer, without a leading zero byte. Throws if it is negative or not an integer. */
export function derUnsigned(bytes: Buffer): Buffer {
  const value = derValue(bytes, derTags.integer);
  const [first, second] = value;
  if (first === undefined || first >= longForm) throw malformed();
  if (first !== 0 || second === undefined) return value;
  if (second < longForm) throw malformed();
  return value.subarray(1);
}

export function malformed(): Error {
  return new Error("malformed DER");
}

export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const;

const longTag = 0x1f;
const longForm = 0x80;
const maxLengthBytes = 4;
const longestOid = 64;

function within(bytes: Buffer, at: { tag: number; start: number; content: number; length: number }) {
  const end = at.content + at.length;
  if (end > bytes.length) return undefined;
  return { tag: at.tag, whole: bytes.subarray(at.start, end), value: bytes.subarray(at.content, end) };
}
