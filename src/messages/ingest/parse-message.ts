import { parseAddress } from "../../protocol/address.js";
import { decodeBase64, decodedLength } from "../../protocol/encodings.js";
import { invalidMember, RelayError } from "../../protocol/errors.js";
import { type MessageId, parseMessageId } from "../../protocol/identifiers.js";
import { daySeconds } from "../../protocol/units.js";
import type { Envelope, MessageContent, MessageRules, SentContent, SentMessage, SystemEvent } from "../model/types.js";
import { checkMessageSize } from "./message-size.js";

/** Only recipients read the signature, so they decide which form it has. */
const signatureForm = /^[ -~]{1,512}$/;
/** 9999-12-31T23:59:59Z. */
const lastTimestamp = 253_402_300_799;
const longestLifetimeSeconds = 365 * daySeconds;
const extensionTypeForm = /^[ -~]{1,64}$/;
const events: Readonly<Record<SystemEvent["event"], true>> = {
  group_extension_updated: true,
  member_added: true,
  member_removed: true,
  epoch_change: true,
  address_rotation: true,
};

/**
 * Makes the envelope of a message. Throws INVALID_ADDRESS, MESSAGE_TOO_LARGE, or INVALID_REQUEST naming the member. The
 * size is checked before the ciphertext is decoded.
 */
export function parseMessage(message: SentMessage, rules: MessageRules): Envelope {
  // The id is checked before the address, because a request names one fault.
  readMessageId(message.messageId);
  const address = parseRecipient(message.recipientAddress, rules);
  return envelopeOf(parseContent(message, rules), address);
}

/** An envelope of this content. Object spread would cost several times as much for each recipient. */
export function envelopeOf(content: MessageContent, { recipient, domain }: Recipient): Envelope {
  return {
    messageId: content.messageId,
    recipient,
    domain,
    ciphertext: content.ciphertext,
    senderSignature: content.senderSignature,
    timestamp: content.timestamp,
    systemEvent: content.systemEvent,
    lifetimeSeconds: content.lifetimeSeconds,
    dedupTag: undefined,
    dedupKey: undefined,
  };
}

/** Parses everything but the recipient. Throws as `parseMessage` does. */
export function parseContent(content: SentContent, rules: MessageRules): MessageContent {
  return {
    messageId: readMessageId(content.messageId),
    ciphertext: readCiphertext(content.mlsCiphertext, rules),
    senderSignature: readSignature(content.senderSignature),
    timestamp: readTimestamp(content.timestamp),
    systemEvent: readSystemEvent(content.systemEvent),
    lifetimeSeconds: readLifetime(content.lifetimeSeconds),
  };
}

type Recipient = Pick<Envelope, "recipient" | "domain">;

/** Parses the recipient's address; the result has no domain if it is this server's. Throws INVALID_ADDRESS. */
export function parseRecipient(text: string, rules: MessageRules): Recipient {
  const { prefix, domain } = readAddress(text, rules);
  return { recipient: prefix, domain: domain === rules.domain.toLowerCase() ? undefined : domain };
}

function readMessageId(text: string): MessageId {
  return parseMessageId(text) ?? refuse("message_id", "must be a UUIDv7");
}

function readAddress(text: string, { domain, privateDomainsAllowed }: MessageRules) {
  const address = parseAddress(text, { ownDomain: domain, privateAllowed: privateDomainsAllowed });
  if (address === undefined) throw new RelayError("INVALID_ADDRESS", "recipient_address is not a delivery address");
  return address;
}

function readCiphertext(sent: string | Buffer, rules: MessageRules): Buffer {
  const known = rules.decoded?.get(sent);
  if (known !== undefined) return known;
  const bytes = typeof sent === "string" ? decodeCiphertext(sent, rules) : copyCiphertext(sent, rules);
  rules.decoded?.set(sent, bytes);
  return bytes;
}

/** A copy, because a message that waits for its stream would otherwise keep the whole body in memory. */
function copyCiphertext(sent: Buffer, rules: MessageRules): Buffer {
  checkMessageSize(sent.length, rules);
  return sent.length === 0 ? refuse("mls_ciphertext", "must not be empty") : Buffer.from(sent);
}

function decodeCiphertext(text: string, rules: MessageRules): Buffer {
  checkMessageSize(decodedLength(text), rules);
  const bytes = decodeBase64(text);
  if (bytes === undefined || bytes.length === 0) return refuse("mls_ciphertext", "must be canonical base64, not empty");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function readSignature(text: string): string {
  return signatureForm.test(text) ? text : refuse("sender_signature", "must be 1 to 512 printable ASCII characters");
}

function readTimestamp(value: number): number {
  return value >= 0 && value <= lastTimestamp ? value : refuse("timestamp", "must be Unix seconds");
}

function readLifetime(seconds: number | undefined): number | undefined {
  if (seconds === undefined || (seconds >= 0 && seconds <= longestLifetimeSeconds)) return seconds;
  return refuse("expires_in_seconds", `must be 0 to ${longestLifetimeSeconds} seconds`);
}

function readSystemEvent(given: SentMessage["systemEvent"]): SystemEvent | null {
  if (given === null) return null;
  const { event, extensionType } = given;
  if (!isEvent(event)) return refuse("system_event/event", "must be the name of an event");
  if (extensionType !== null && !extensionTypeForm.test(extensionType)) {
    return refuse("system_event/extension_type", "must be 1 to 64 printable ASCII characters");
  }
  return { event, extensionType };
}

function isEvent(text: string): text is SystemEvent["event"] {
  return Object.hasOwn(events, text);
}

function refuse(member: string, problem: string): never {
  throw invalidMember(member, problem);
}
