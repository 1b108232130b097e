import { keyedHashText } from "../../../auth/keyed-hash.js";
import { millisOfMessageId } from "../../../protocol/identifiers.js";
import { dayMillis, minuteMillis } from "../../../protocol/units.js";
import type { Envelope, Sender } from "../../model/types.js";

// A repetition is recognised by a keyed hash, the message's key; nothing else of a message is kept for that. A reader
// of the database learns neither sender nor recipient from it, and cannot test guesses without the secret. The first
// part of each hash's input separates the kinds of sender.
//
// The hash follows the minute of the message's id, which is a UUIDv7: messages of about the same time have similar
// keys, so few pages of the index are written at a time, however many keys a day has. This reveals less than the order
// of the rows, which is the order in which messages arrived (spec/decisions/0125).

/**
 * A key as a string of one character per byte, 16 in all: the day, 2 bytes; the minute of the day, 2 bytes; a keyed
 * hash, 12 bytes. Once a recipient on this server is known, the last byte is chosen by `placeKey`. The database stores
 * it as a UUID.
 */
export type MessageKey = string;

const hashBytes = 12;

/** The key as the database takes it: a UUID without hyphens. */
export function uuidOfKey(key: MessageKey): string {
  return Buffer.from(key, "latin1").toString("hex");
}

/** The key that the database returned as a UUID. */
export function keyOfUuid(uuid: string): MessageKey {
  return Buffer.from(uuid.replaceAll("-", ""), "hex").toString("latin1");
}

/** What identifies a message to the server of its recipient: its key, in hexadecimal. */
export function tagOf(key: MessageKey): string {
  return uuidOfKey(key);
}

/** The day in days since 1970. */
export function dayOfKey(key: MessageKey): number {
  return (key.charCodeAt(0) << 8) | key.charCodeAt(1);
}

/** A message sent by a device of this server. */
interface SentByDevice {
  senderId: string;
  messageId: string;
  prefix: string;
  domain?: string | undefined;
}

/** The key of a message sent by a device of this server. */
export function deviceKey(secret: Uint8Array, sent: SentByDevice): MessageKey {
  const { senderId, messageId, prefix, domain = "" } = sent;
  return timeOfId(messageId) + hashed(secret, "device", senderId, messageId, prefix, domain);
}

/**
 * The key of an envelope from any sender. A peer's tag replaces sender, id and recipient; it was made from such a key,
 * so its time is used. Without a tag, the ciphertext becomes part of the hash.
 */
export function keyOf(secret: Uint8Array, sender: Sender, envelope: Envelope): MessageKey {
  const { messageId, recipient: prefix, domain, dedupTag } = envelope;
  if (sender.kind === "device") return deviceKey(secret, { senderId: sender.deviceId, messageId, prefix, domain });
  if (dedupTag !== undefined) return timeOfTag(dedupTag) + hashed(secret, "tag", sender.domain, dedupTag);
  return timeOfId(messageId) + hashed(secret, "peer", sender.domain, messageId, prefix, envelope.ciphertext);
}

/**
 * Twelve bytes suffice: nobody can find two messages of one minute with the same key, and no collision happens by
 * accident.
 */
function hashed(secret: Uint8Array, ...inputs: readonly (Uint8Array | string)[]): string {
  return keyedHashText(secret, ...inputs).slice(0, hashBytes);
}

const minutesPerDay = dayMillis / minuteMillis;

function timeOfId(messageId: string): string {
  const minutes = Math.floor(millisOfMessageId(messageId) / minuteMillis);
  return twoBytes(Math.floor(minutes / minutesPerDay)) + twoBytes(minutes % minutesPerDay);
}

/** The day of a tag in hexadecimal, and the minute if the tag has one. Any other tag gets an arbitrary time. */
function timeOfTag(dedupTag: string): string {
  const [day, minute] = [Number.parseInt(dedupTag.slice(0, 4), 16), Number.parseInt(dedupTag.slice(4, 8), 16)];
  return twoBytes(day) + twoBytes(minute % minutesPerDay);
}

function twoBytes(value: number): string {
  return String.fromCharCode((value >>> 8) & 0xff, value & 0xff);
}
