import { keyedHashText } from "../platform/keyed-hash.js";
import type { Envelope, Sender } from "./envelope.js";

// A message is recognised by one keyed hash, and nothing else of it is kept: whoever reads the table learns neither
// sender nor recipient, and cannot try guesses without the key. The first part of each input tells the kinds apart.
//
// The first two bytes of the hash give way to the day of the message's id, which is a UUIDv7: no more than the day of the
// expiry tells. So what is new goes to one part of the index, whose pages are at hand. Else, where very many messages were
// accepted within the retention period, each new one would bring a page of its own into memory, and all of it into the log.

/** The name under which the key of the hashes is kept among the secrets. */
export const deduplicationSecret = "deduplication";

/** The hash of what a device of this server sends: device, message id and recipient. 32 bytes, a character each. */
export function deviceKey(
  secret: Uint8Array,
  sent: { senderId: string; messageId: string; prefix: string; domain?: string | undefined },
): string {
  const { senderId, messageId, prefix, domain = "" } = sent;
  return dated(dayOf(messageId), keyedHashText(secret, "device", senderId, messageId, prefix, domain));
}

/**
 * The hash of an envelope from whomever. A peer's tag stands for the three, and being such a hash begins with its
 * day; without it, the message's bytes do.
 */
export function keyOf(secret: Uint8Array, sender: Sender, envelope: Envelope): string {
  const { messageId, recipient: prefix, domain, dedupTag } = envelope;
  if (sender.kind === "device") return deviceKey(secret, { senderId: sender.deviceId, messageId, prefix, domain });
  if (dedupTag !== undefined) return dated(dayOfTag(dedupTag), keyedHashText(secret, "tag", sender.domain, dedupTag));
  const hash = keyedHashText(secret, "peer", sender.domain, messageId, prefix, envelope.ciphertext);
  return dated(dayOf(messageId), hash);
}

const dayBytes = 2;
const dayMillis = 86_400_000;

function dated(day: number, hash: string): string {
  return String.fromCharCode((day >>> 8) & 0xff, day & 0xff) + hash.slice(dayBytes);
}

/** The first 48 bits of a UUIDv7 are its time in milliseconds (RFC 9562). */
function dayOf(messageId: string): number {
  return Math.floor(Number.parseInt(messageId.slice(0, 8) + messageId.slice(9, 13), 16) / dayMillis);
}

function dayOfTag(dedupTag: string): number {
  return Number.parseInt(dedupTag.slice(0, 2 * dayBytes), 16);
}
