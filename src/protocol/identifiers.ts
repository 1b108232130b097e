import { blake3 } from "@noble/hashes/blake3.js";
import { decodeHex, encodeHex } from "./encodings.js";
import { dayMillis } from "./units.js";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Canonical device id: lower-case hex of BLAKE3-256 over the raw 32-byte Ed25519 public key. */
export type DeviceId = Branded<"DeviceId">;
/** Message id: a UUIDv7, hyphenated, lower case. */
export type MessageId = Branded<"MessageId">;
/** Address prefix: 16 bytes, here always as a hyphenated lower-case UUID, so that equal bytes are equal strings. */
export type Prefix = Branded<"Prefix">;
/** How a prefix was announced, and so how it is given out: as a UUID or as 32 hex digits. */
export type PrefixSpelling = "uuid" | "hex";

export const publicKeyBytes = 32;
/** Of `X-Download-Id`. */
export const downloadIdBytes = 16;
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const hexForm = /^[0-9a-f]{32}$/;

/** The canonical device id of an Ed25519 public key (32 raw bytes). */
export function deviceIdOf(publicKey: Uint8Array): DeviceId {
  return encodeHex(blake3(publicKey)) as DeviceId;
}

/** A device id's form: 64 hex digits, lower case out. The form does not show whether it is a hash or a public key. */
export function parseDeviceId(text: string): DeviceId | undefined {
  return decodeHex(text, publicKeyBytes) === undefined ? undefined : (text.toLowerCase() as DeviceId);
}

/**
 * The canonical ids that a spelled device id may stand for, to be tried in this order: the id itself, and, since one
 * flow spells a device as its public key, the BLAKE3 hash of the id. Empty if the text is no device id.
 */
export function deviceIdCandidates(spelled: string): DeviceId[] {
  const bytes = decodeHex(spelled, publicKeyBytes);
  return bytes === undefined ? [] : [spelled.toLowerCase() as DeviceId, deviceIdOf(bytes)];
}

/** A raw Ed25519 public key from 64 hex digits. Only the form is checked, not that it is a point of the curve. */
export function parsePublicKey(text: string): Uint8Array | undefined {
  return decodeHex(text, publicKeyBytes);
}

/** A UUIDv7 (RFC 9562: version 7, variant 10), hyphenated or as 32 hex digits, in either case. */
export function parseMessageId(text: string): MessageId | undefined {
  const uuid = canonicalUuid(text);
  return uuid !== undefined && uuid[14] === "7" && "89ab".includes(uuid.charAt(19)) ? (uuid as MessageId) : undefined;
}

/** The time of a UUIDv7 in Unix milliseconds: its first 48 bits (RFC 9562). */
export function millisOfMessageId(messageId: string): number {
  return Number.parseInt(messageId.slice(0, 8) + messageId.slice(9, 13), 16);
}

/** The day of a UUIDv7: days since 1970. */
export function dayOfMessageId(messageId: string): number {
  return Math.floor(millisOfMessageId(messageId) / dayMillis);
}

/** A new UUIDv7 of a Unix time in milliseconds and 10 random bytes. */
export function newMessageId(nowMillis: number, random: Uint8Array): MessageId {
  const bytes = new Uint8Array(16);
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(nowMillis / 256 ** (5 - i)) % 256;
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return hyphenate(encodeHex(bytes)) as MessageId;
}

/** An address prefix, spelled as a UUID (of any version) or as 32 hex digits, in either case. */
export function parsePrefix(text: string): Prefix | undefined {
  return canonicalUuid(text) as Prefix | undefined;
}

/** How a well-formed prefix is spelled. */
export function spellingOfPrefix(text: string): PrefixSpelling {
  return text.length === 36 ? "uuid" : "hex";
}

/** A prefix in the given spelling. */
export function spellPrefix(prefix: Prefix, spelling: PrefixSpelling): string {
  return spelling === "uuid" ? prefix : prefix.replaceAll("-", "");
}

function canonicalUuid(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (text.length === 36) return uuidForm.test(lower) ? lower : undefined;
  return text.length === 32 && hexForm.test(lower) ? hyphenate(lower) : undefined;
}

function hyphenate(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The form that the contract demands of a domain: a relay refuses a whole request for one address of another form. */
const domainForm = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\.?(?::[0-9]{1,5})?$/;

/** Whether this is a full address, `<prefix>@<domain>`. */
export function isAddress(text: string): boolean {
  const [prefix = "", domain = "", ...rest] = text.split("@");
  return parsePrefix(prefix) !== undefined && domainForm.test(domain) && rest.length === 0;
}
