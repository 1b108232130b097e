// The envelope of what the members of a group send each other. An MLS message shows its group, its epoch, and whether it is a
// commit; in its envelope it shows a length and random bytes.
//
//   version | hint (4) | nonce (12) | ChaCha20-Poly1305 of what padding.ts makes, with version and hint as additional data
//
// The hint is the beginning of an HMAC of the nonce: members find the epoch by it without trying to decrypt with each key.

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, equalBytes } from "../../protocol/encodings.js";
import { demandBytes, demandFunction, demandNonEmptyBytes, demandNumber, demandOptions } from "../runtime/arguments.js";
import { runtimeWith } from "../runtime/runtime.js";
import { decrypt, encrypt, tagBytes } from "./chacha.js";
import { pad, unpad } from "./padding.js";

/** `MLS-Exporter` of the member's current epoch (RFC 9420, section 8.5). */
export type Exporter = (label: string, context: Uint8Array, length: number) => Uint8Array | Promise<Uint8Array>;

/** What the members of an epoch share, and nobody else: 32 bytes each. Store them like the group's other secrets. */
export interface EpochKeys {
  readonly sealKey: Uint8Array;
  readonly hintKey: Uint8Array;
  /** An Ed25519 secret key, for the signatures beside ciphertexts. */
  readonly signatureKey: Uint8Array;
}

export interface SealOptions {
  /** The largest message that the relays of the recipients accept (`max_message_size` of discovery). Unlimited by default. */
  maxBytes?: number;
  /** Makes the nonce. Default: the platform's random bytes. */
  randomBytes?: (length: number) => Uint8Array;
}

/** The first byte of what members send. A bare MLS message begins with 0. */
const groupVersion = 1;
export const welcomeVersion = 2;

const keyBytes = 32;
const hintBytes = 4;
const nonceBytes = 12;
const boundBytes = 1 + hintBytes;
const headBytes = boundBytes + nonceBytes;

/** Derives the keys of the exporter's epoch. The exporter is called before this returns. */
export async function epochKeysOf(exporter: Exporter): Promise<EpochKeys> {
  demandFunction(exporter, "exporter");
  const derive = (label: string) => exporter(label, new Uint8Array(), keyBytes);
  const [sealKey, hintKey, signatureKey] = await Promise.all([
    derive("mls-relay envelope"),
    derive("mls-relay envelope hint"),
    derive("mls-relay signature"),
  ]);
  return { sealKey, hintKey, signatureKey };
}

/**
 * Seals content for the members of an epoch: an MLS message, or for a commit slot the PublicMessages of a commit. The same content is
 * sealed differently each time, so seal it again for each recipient. All members together may seal 2^32 times with one epoch's keys.
 */
export function sealEnvelope(
  keys: EpochKeys,
  content: Uint8Array,
  { maxBytes = Number.MAX_SAFE_INTEGER, randomBytes = runtimeWith().randomBytes }: SealOptions = {},
): Uint8Array {
  demandEpochKeys(keys);
  demandNonEmptyBytes(content, "content");
  demandNumber(maxBytes, "maxBytes", [1, Number.MAX_SAFE_INTEGER]);
  const nonce = randomBytes(nonceBytes);
  const head = concatBytes(Uint8Array.of(groupVersion), hintOf(keys, nonce), nonce);
  const padded = pad(content, { around: headBytes + tagBytes, maxBytes });
  const sealing = { key: keys.sealKey, nonce, bound: head.subarray(0, boundBytes) };
  return concatBytes(head, ...encrypt(sealing, padded));
}

/** Opens an envelope; undefined if it was not sealed with these keys, or is no envelope. */
export function openEnvelope(keys: EpochKeys, envelope: Uint8Array): Uint8Array | undefined {
  demandEpochKeys(keys);
  demandBytes(envelope, "envelope");
  if (kindOfEnvelope(envelope) !== "group") return undefined;
  const nonce = envelope.subarray(boundBytes, headBytes);
  if (!equalBytes(hintOf(keys, nonce), envelope.subarray(1, boundBytes))) return undefined;
  const sealing = { key: keys.sealKey, nonce, bound: envelope.subarray(0, boundBytes) };
  const padded = decrypt(sealing, envelope.subarray(headBytes));
  return padded && unpad(padded);
}

/** `group`: from a member, see `openEnvelope`. `welcome`: see `openWelcome`. Undefined for anything else, like a bare MLS message. */
export function kindOfEnvelope(bytes: Uint8Array): "group" | "welcome" | undefined {
  demandBytes(bytes, "bytes");
  if (bytes.length < headBytes + tagBytes) return undefined;
  if (bytes[0] === groupVersion) return "group";
  return bytes[0] === welcomeVersion ? "welcome" : undefined;
}

function demandEpochKeys(keys: EpochKeys): void {
  demandOptions(keys, "keys");
  for (const name of ["sealKey", "hintKey", "signatureKey"] as const) demandBytes(keys[name], `keys.${name}`, keyBytes);
}

/** With the key already mixed in. That is half of the work. */
const hintMacs = new WeakMap<Uint8Array, ReturnType<typeof hmac.create>>();

function hintOf({ hintKey }: EpochKeys, nonce: Uint8Array): Uint8Array {
  const mac = hintMacs.get(hintKey) ?? hmac.create(sha256, hintKey);
  hintMacs.set(hintKey, mac);
  return mac.clone().update(nonce).digest().subarray(0, hintBytes);
}
