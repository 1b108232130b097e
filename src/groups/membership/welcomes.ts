// The Welcomes to one commit (RFC 9420, section 12.4.3.1). An MLS library makes one for all joiners. Each joiner gets only their part, so that nobody
// sees the references of the others' key packages.
//
// The GroupInfo with the ratchet tree is the same for all, so it may be a blob at the joiners' relay. A joiner then gets this text instead of a bare
// MLSMessage:
//
//   { "version": 1, "welcome": <MLSMessage without GroupInfo>, "group_info": { "blob": <id>, … }, "proof": { … }, "report_handle": … }
//
// `report_handle` is what a joiner who has not asked to be added needs to report it (protocol/report-handles.ts).
//
// `proof` is for a joiner who was in the group before: the commits that lead from the epoch that it knew to this one (continuity.ts).
//
// It names the blob, but no relay: the joiner asks its own, so nobody can make it call a server of their choice.

import { type BlobReference, readBlobReference } from "../../client/index.js";
import { concatBytes, encodeBase64, isHex32, utf8 } from "../../protocol/encodings.js";
import { bytesIn, encodeProof, type Proof, readProof } from "./continuity.js";

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

/** Enough for a GroupInfo of 8,000 members. */
export const maxSharedBytes = 4 * 1024 * 1024;

interface WelcomeText {
  /** Where the GroupInfo is, if the Welcome does not have it. */
  reference?: BlobReference | undefined;
  proof?: Proof | undefined;
  /** The data that a report of the Welcome needs; missing if the joiner asked to be added. */
  handle?: Uint8Array | undefined;
}

/** A Welcome for one joiner. With `reference`, its GroupInfo is a blob at the joiner's relay. */
export function writeJoinerWelcome(
  welcomes: Welcomes,
  secret: Uint8Array,
  { reference, proof, handle }: WelcomeText,
): Uint8Array {
  const groupInfo = reference === undefined ? welcomes.groupInfo : new Uint8Array();
  const welcome = writeWelcome({ cipherSuite: welcomes.cipherSuite, groupInfo }, secret);
  if (reference === undefined && proof === undefined && handle === undefined) return welcome;
  const { url = "", ...file } = reference ?? {};
  const group_info = reference && { ...file, blob: url.slice(url.lastIndexOf("/") + 1) };
  return utf8(
    JSON.stringify({
      version: 1,
      welcome: encodeBase64(welcome),
      group_info,
      proof: proof && encodeProof(proof),
      report_handle: handle && encodeBase64(handle),
    }),
  );
}

/** Tells a device that asked to be added that a member has refused. It is sealed like a Welcome: only recipients of the request can write it. */
export function writeRefusal(): Uint8Array {
  return utf8(JSON.stringify({ version: 1, refused: true }));
}

/** `relay` is the base address of the joiner's relay. The result has no Welcome if a member has refused. Throws if the text has another form. */
export function readJoinerWelcome(bytes: Uint8Array, relay: string): WelcomeText & { welcome?: Uint8Array } {
  if (framing.every((byte, at) => bytes[at] === byte)) return { welcome: bytes };
  const {
    version,
    welcome,
    group_info: file,
    proof,
    report_handle: handle,
    refused,
  } = JSON.parse(new TextDecoder().decode(bytes));
  if (version !== 1) throw new Error("the Welcome has another form");
  if (refused === true) return {};
  return {
    welcome: bytesIn(welcome),
    ...(file !== undefined && { reference: referenceIn(file, relay) }),
    ...(proof !== undefined && { proof: readProof(proof) }),
    ...(handle !== undefined && { handle: bytesIn(handle) }),
  };
}

function referenceIn(file: { blob: string }, relay: string): BlobReference {
  if (!isHex32(file.blob)) throw new Error("the Welcome has another form");
  const reference = readBlobReference({ ...file, url: `${relay}/v1/blobs/${file.blob}` });
  if (reference.file_size > maxSharedBytes) throw new Error("the GroupInfo is too large");
  return reference;
}

/** The complete Welcome. */
export function withGroupInfo(welcome: Uint8Array, groupInfo: Uint8Array): Uint8Array {
  const { cipherSuite, secrets } = readWelcomes(welcome);
  return writeWelcome({ cipherSuite, groupInfo }, concatBytes(...secrets));
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
