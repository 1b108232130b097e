import type { components } from "../../../generated/openapi-types.js";
import { decodeBase64, encodeBase64, encodeHex } from "../../protocol/encodings.js";
import type { Connection } from "../connection/connection.js";
import { signOnce } from "../crypto/message-signatures.js";
import {
  atLeast,
  demandAddress,
  demandBytes,
  demandMessageId,
  demandNonEmptyBytes,
  demandNumber,
  demandOptions,
  ifGiven,
} from "../runtime/arguments.js";
import { isCommit } from "./mls-framing.js";

type Schemas = components["schemas"];
export type SystemEvent = Schemas["SystemEvent"];

const signatureBytes = 64;

/** An encrypted message to send. */
export interface OutgoingMessage {
  /** `<prefix>@<domain>` */
  to: string;
  ciphertext: Uint8Array;
  /**
   * Ed25519 signature over the ciphertext, 64 bytes. Default: made with a new key that is used for nothing else
   * (`signOnce`).
   */
  signature?: Uint8Array;
  /** A new UUIDv7 by default. To repeat a message, pass the same id again: the relay keeps only one. */
  messageId?: string;
  /** Unix seconds. Default: now. */
  timestamp?: number;
  /** A hint that the relay can read. Omit it to reveal nothing. */
  systemEvent?: SystemEvent;
  /**
   * Seconds after which the relay forgets the message, at most what the relay allows. 0: online only, for typing, receipts and
   * call signalling. It is pushed to the recipient's open stream and never stored; do not repeat it. Throws an Error if the
   * relay does not support lifetimes, and a TypeError for a commit, without which a member loses the group.
   */
  expiresInSeconds?: number;
}

/** A message from the queue. */
export interface IncomingMessage {
  messageId: string;
  ciphertext: Uint8Array;
  /** As sent by the sender, 128 hex digits or base64; see `verifyCiphertext`. */
  senderSignature: string;
  /** By the sender's clock, Unix seconds. */
  timestamp: number;
  /** When the relay accepted it, Unix seconds. */
  receivedAt: number;
  systemEvent: SystemEvent | undefined;
  /** True for an online-only message, which comes once and is not acknowledged. */
  online?: true;
}

/** A message in the contract's form. */
export async function encodeMessage(
  message: OutgoingMessage,
  connection: Pick<Connection, "clock" | "newMessageId" | "discover">,
): Promise<Schemas["SendMessageRequest"]> {
  demandOptions(message, "message");
  demandAddress(message.to, "message.to");
  return { ...(await encodeContent(message, connection)), recipient_address: message.to };
}

/** A message without its recipient in the contract's form. */
export async function encodeContent(
  message: Omit<OutgoingMessage, "to">,
  { clock, newMessageId, discover }: Pick<Connection, "clock" | "newMessageId" | "discover">,
): Promise<Omit<Schemas["SendMessageRequest"], "recipient_address">> {
  demandContent(message);
  const { expiresInSeconds } = message;
  if (expiresInSeconds !== undefined && (await discover()).capabilities.message_lifetime !== true)
    throw new Error("the relay does not support lifetimes of messages");
  return {
    message_id: message.messageId ?? newMessageId(),
    mls_ciphertext: encodeBase64(message.ciphertext),
    sender_signature: encodeHex(message.signature ?? (await signOnce(message.ciphertext))),
    timestamp: message.timestamp ?? clock.nowSeconds(),
    ...(message.systemEvent && { system_event: message.systemEvent }),
    ...(expiresInSeconds !== undefined && { expires_in_seconds: expiresInSeconds }),
  };
}

function demandContent(message: Omit<OutgoingMessage, "to">): void {
  demandNonEmptyBytes(message.ciphertext, "message.ciphertext");
  ifGiven(message.signature, (signature) => demandBytes(signature, "message.signature", signatureBytes));
  ifGiven(message.messageId, (id) => demandMessageId(id, "message.messageId"));
  ifGiven(message.timestamp, (timestamp) => demandNumber(timestamp, "message.timestamp", atLeast(0)));
  demandLifetime(message.expiresInSeconds, message.ciphertext);
  ifGiven(message.systemEvent, (event) => demandOptions(event, "message.systemEvent"));
}

/** Throws a TypeError for a lifetime that is no number from 0 on, or that a commit would have. */
export function demandLifetime(seconds: number | undefined, content: Uint8Array): void {
  if (seconds === undefined) return;
  demandNumber(seconds, "message.expiresInSeconds", atLeast(0));
  if (isCommit(content)) throw new TypeError("a commit may have no lifetime: who misses it loses the group");
}

/** A queued message in the form of the SDK; `undefined` if its ciphertext is malformed. */
export function readMessage(wire: Schemas["QueuedMessage"] & { online?: boolean }): IncomingMessage | undefined {
  const ciphertext = decodeBase64(wire.mls_ciphertext);
  if (ciphertext === undefined) return undefined;
  return {
    messageId: wire.message_id,
    ciphertext,
    senderSignature: wire.sender_signature,
    timestamp: wire.timestamp,
    receivedAt: wire.received_at,
    systemEvent: wire.system_event,
    ...(wire.online === true && { online: true }),
  };
}
