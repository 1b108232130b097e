import { beginWithDay, dayBytes, keyedHashText } from "../../platform/auth/keyed-hash.js";
import { dayOfMessageId } from "../../protocol/identifiers.js";
import type { Envelope, Sender } from "../types.js";

// A message is recognised by one keyed hash, and nothing else of it is kept: whoever reads the table learns neither
// sender nor recipient, and cannot try guesses without the key. The first part of each input tells the kinds apart.
//
// Hashes begin with the day of the message's id, which is a UUIDv7: no more than the day of the expiry tells.

/** The name under which the key of the hashes is kept among the secrets. */
export const deduplicationSecret = "deduplication";

/** What a device of this server sends: device, message id and recipient. */
export interface SentByDevice {
  senderId: string;
  messageId: string;
  prefix: string;
  domain?: string | undefined;
}

/** The hash of what a device of this server sends. 32 bytes, a character each. */
export function deviceKey(secret: Uint8Array, sent: SentByDevice): string {
  return beginWithDay(dayOfMessageId(sent.messageId), earlierDeviceKey(secret, sent));
}

/** The same as it was before hashes began with a day. */
export function earlierDeviceKey(secret: Uint8Array, sent: SentByDevice): string {
  const { senderId, messageId, prefix, domain = "" } = sent;
  return keyedHashText(secret, "device", senderId, messageId, prefix, domain);
}

/**
 * The hash of an envelope from whomever. A peer's tag stands for the three, and being such a hash begins with its
 * day; without it, the message's bytes do.
 */
export function keyOf(secret: Uint8Array, sender: Sender, envelope: Envelope): string {
  const { messageId, dedupTag } = envelope;
  const isTagged = sender.kind === "peer" && dedupTag !== undefined;
  return beginWithDay(
    isTagged ? dayOfTag(dedupTag) : dayOfMessageId(messageId),
    earlierKeyOf(secret, sender, envelope),
  );
}

/** The same as it was before hashes began with a day. */
export function earlierKeyOf(secret: Uint8Array, sender: Sender, envelope: Envelope): string {
  const { messageId, recipient: prefix, domain, dedupTag } = envelope;
  if (sender.kind === "device") {
    return earlierDeviceKey(secret, { senderId: sender.deviceId, messageId, prefix, domain });
  }
  if (dedupTag !== undefined) return keyedHashText(secret, "tag", sender.domain, dedupTag);
  return keyedHashText(secret, "peer", sender.domain, messageId, prefix, envelope.ciphertext);
}

function dayOfTag(dedupTag: string): number {
  return Number.parseInt(dedupTag.slice(0, 2 * dayBytes), 16);
}
