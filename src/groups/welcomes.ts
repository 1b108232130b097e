// The Welcomes to one commit (RFC 9420, section 12.4.3.1). An MLS library makes one for all joiners; each of them gets its own part of it, because
// the references of the others' key packages are nobody else's business.

import { concatBytes } from "../protocol/encodings.js";

export interface Welcomes {
  cipherSuite: Uint8Array;
  /** One for each joiner. */
  secrets: Uint8Array[];
  /** Encrypted, and the same for all. */
  groupInfo: Uint8Array;
}

/** The beginning of an MLSMessage with a Welcome (RFC 9420, section 6). */
const framing = Uint8Array.of(0, 1, 0, 3);
const suiteEnd = framing.length + 2;

/** Takes an MLSMessage with a Welcome apart. Throws if it is none. */
export function readWelcomes(message: Uint8Array): Welcomes {
  const isWelcome = framing.every((byte, at) => message[at] === byte);
  const [secrets, end] = vectorAt(message, suiteEnd);
  const [groupInfo, last] = vectorAt(message, end);
  if (!isWelcome || last !== message.length) throw new Error("not an MLSMessage with a Welcome");
  const each: Uint8Array[] = [];
  for (let at = 0; at < secrets.length; ) {
    const begin = at;
    // The reference of the key package, the encapsulated key, the ciphertext.
    for (let part = 0; part < 3; part++) [, at] = vectorAt(secrets, at);
    each.push(secrets.slice(begin, at));
  }
  return { cipherSuite: message.slice(framing.length, suiteEnd), secrets: each, groupInfo };
}

/** An MLSMessage with the Welcome for one joiner. */
export function writeWelcome({ cipherSuite, groupInfo }: Omit<Welcomes, "secrets">, secret: Uint8Array): Uint8Array {
  return concatBytes(framing, cipherSuite, vector(secret), vector(groupInfo));
}

/** A vector, whose length takes 1, 2 or 4 bytes (RFC 9420, section 2.1.2), and where it ends. */
function vectorAt(bytes: Uint8Array, at: number): [content: Uint8Array, end: number] {
  const first = bytes[at] ?? 0;
  const size = 1 << (first >> 6);
  let length = first & 63;
  for (let i = 1; i < size; i++) length = length * 256 + (bytes[at + i] ?? 0);
  const end = at + size + length;
  if (size > 4 || end > bytes.length) throw new Error("a vector is malformed");
  return [bytes.slice(at + size, end), end];
}

function vector(content: Uint8Array): Uint8Array {
  const { length } = content;
  if (length < 64) return concatBytes(Uint8Array.of(length), content);
  if (length < 16_384) return concatBytes(Uint8Array.of(64 | (length >> 8), length & 255), content);
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, 2 ** 31 + length);
  return concatBytes(head, content);
}
