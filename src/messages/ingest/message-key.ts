import { keyedHashText } from "../../platform/auth/keyed-hash.js";
import { millisOfMessageId } from "../../protocol/identifiers.js";
import { dayMillis, minuteMillis } from "../../protocol/units.js";
import type { Envelope, Sender } from "../types.js";

// A repetition is recognised by a keyed hash, the message's key; nothing else of a message is kept for that. A reader of
// the database learns neither sender nor recipient from it, and cannot test guesses without the secret. The first part
// of each hash's input separates the kinds of sender.
//
// Before the hash stands the minute of the message's id, which is a UUIDv7: messages of about the same time have keys
// that are close to each other, so few pages of the index are written at a time, however many keys a day has. This
// reveals less than the order of the rows, which is the order in which messages came (spec/decisions/0125).

/**
 * A key as a string of one character per byte: the day, 2 bytes; the minute of the day, 2 bytes; the hash, 32 bytes. Where
 * the database is distributed and the recipient known, another byte follows, which `placeKey` chose.
 */
export type MessageKey = string;

const dayEnd = 2;
const hashStart = 4;
const hashEnd = 36;
/** The position in the placed form of the byte that is chosen. */
const chosenByte = 19;
/** What the stored form keeps of the hash: 12 bytes, which leaves no two messages of a minute with the same key. */
const storedHash = [8, 20] as const;

/** The form that is stored in partitions: 16 bytes. */
export function storedForm(key: MessageKey): string {
  return key.slice(0, hashStart) + key.slice(...storedHash);
}

/** The form of the version before: the hash with the day in place of its first bytes, 32 bytes. */
export function longForm(key: MessageKey): string {
  return key.slice(0, dayEnd) + key.slice(hashStart + dayEnd, hashEnd);
}

/** The form of still earlier versions: the hash alone, 32 bytes. */
export function daylessForm(key: MessageKey): string {
  return key.slice(hashStart, hashEnd);
}

/** The form of a distributed database: the long one with a byte that decides on which machine it lies, if one was chosen. */
export function placedForm(key: MessageKey): string {
  const long = longForm(key);
  return key.length === hashEnd ? long : long.slice(0, chosenByte) + key.charAt(hashEnd) + long.slice(chosenByte + 1);
}

/** What a placed form says without the byte that was chosen and those behind it: day and hash of the stored one, 14 bytes. */
export function placelessForm(key: MessageKey): string {
  return key.slice(0, dayEnd) + key.slice(...storedHash);
}

/** The key with that byte. */
export function withChosenByte(key: MessageKey, value: number): MessageKey {
  return key.slice(0, hashEnd) + String.fromCharCode(value);
}

/** All forms in which it may be stored. */
export function formsOf(key: MessageKey): string[] {
  return [storedForm(key), longForm(key), daylessForm(key), placedForm(key), placelessForm(key)];
}

/** What identifies a message to the server that it is for; in hexadecimal. It begins with day and minute, too. */
export function tagOf(key: MessageKey): string {
  return Buffer.from(key.slice(0, hashStart) + key.slice(storedHash[0], hashEnd), "latin1").toString("hex");
}

/** The day in days since 1970. */
export function dayOfKey(key: MessageKey): number {
  return (key.charCodeAt(0) << 8) | key.charCodeAt(1);
}

/** A message that a device of this server sends. */
export interface SentByDevice {
  senderId: string;
  messageId: string;
  prefix: string;
  domain?: string | undefined;
}

/** The key of a message that a device of this server sends. */
export function deviceKey(secret: Uint8Array, sent: SentByDevice): MessageKey {
  const { senderId, messageId, prefix, domain = "" } = sent;
  return timeOfId(messageId) + keyedHashText(secret, "device", senderId, messageId, prefix, domain);
}

/**
 * The key of an envelope from any sender. A peer's tag replaces sender, id and recipient; it is made from such a key
 * itself, so its time is taken over. Without a tag, the ciphertext becomes part of the hash.
 */
export function keyOf(secret: Uint8Array, sender: Sender, envelope: Envelope): MessageKey {
  const { messageId, recipient: prefix, domain, dedupTag } = envelope;
  if (sender.kind === "device") return deviceKey(secret, { senderId: sender.deviceId, messageId, prefix, domain });
  if (dedupTag !== undefined) return timeOfTag(dedupTag) + keyedHashText(secret, "tag", sender.domain, dedupTag);
  return timeOfId(messageId) + keyedHashText(secret, "peer", sender.domain, messageId, prefix, envelope.ciphertext);
}

const minutesPerDay = dayMillis / minuteMillis;

function timeOfId(messageId: string): string {
  const minutes = Math.floor(millisOfMessageId(messageId) / minuteMillis);
  return twoBytes(Math.floor(minutes / minutesPerDay)) + twoBytes(minutes % minutesPerDay);
}

/** The day of a tag in hexadecimal; the minute too, where the tag has one. Any other tag has some time. */
function timeOfTag(dedupTag: string): string {
  const [day, minute] = [Number.parseInt(dedupTag.slice(0, 4), 16), Number.parseInt(dedupTag.slice(4, 8), 16)];
  return twoBytes(day) + twoBytes(minute % minutesPerDay);
}

function twoBytes(value: number): string {
  return String.fromCharCode((value >>> 8) & 0xff, value & 0xff);
}
