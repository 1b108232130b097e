import type { components } from "../../generated/openapi-types.js";
import { decodeBase64, encodeBase64, encodeHex } from "../protocol/encodings.js";
import {
  atLeast,
  demandAddress,
  demandBytes,
  demandMessageId,
  demandNonEmptyBytes,
  demandNumber,
  demandOptions,
  ifGiven,
} from "./arguments.js";
import type { Connection } from "./connection.js";
import { signOnce } from "./message-signatures.js";

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
}

/** A message in the contract's form. */
export async function encodeMessage(
  message: OutgoingMessage,
  connection: Pick<Connection, "clock" | "newMessageId">,
): Promise<Schemas["SendMessageRequest"]> {
  demandOptions(message, "message");
  demandAddress(message.to, "message.to");
  return { ...(await encodeContent(message, connection)), recipient_address: message.to };
}

/** A message without its recipient in the contract's form. */
export async function encodeContent(
  message: Omit<OutgoingMessage, "to">,
  { clock, newMessageId }: Pick<Connection, "clock" | "newMessageId">,
): Promise<Omit<Schemas["SendMessageRequest"], "recipient_address">> {
  demandContent(message);
  return {
    message_id: message.messageId ?? newMessageId(),
    mls_ciphertext: encodeBase64(message.ciphertext),
    sender_signature: encodeHex(message.signature ?? (await signOnce(message.ciphertext))),
    timestamp: message.timestamp ?? clock.nowSeconds(),
    ...(message.systemEvent && { system_event: message.systemEvent }),
  };
}

function demandContent(message: Omit<OutgoingMessage, "to">): void {
  demandNonEmptyBytes(message.ciphertext, "message.ciphertext");
  ifGiven(message.signature, (signature) => demandBytes(signature, "message.signature", signatureBytes));
  ifGiven(message.messageId, (id) => demandMessageId(id, "message.messageId"));
  ifGiven(message.timestamp, (timestamp) => demandNumber(timestamp, "message.timestamp", atLeast(0)));
  ifGiven(message.systemEvent, (event) => demandOptions(event, "message.systemEvent"));
}

/** A queued message in the form of the SDK; `undefined` if its ciphertext is malformed. */
export function readMessage(wire: Schemas["QueuedMessage"]): IncomingMessage | undefined {
  const ciphertext = decodeBase64(wire.mls_ciphertext);
  if (ciphertext === undefined) return undefined;
  return {
    messageId: wire.message_id,
    // In Node.js the bytes are a Buffer, whose `slice` shares memory; the `slice` of any other Uint8Array copies.
    ciphertext: new Uint8Array(ciphertext.buffer, ciphertext.byteOffset, ciphertext.length),
    senderSignature: wire.sender_signature,
    timestamp: wire.timestamp,
    receivedAt: wire.received_at,
    systemEvent: wire.system_event,
  };
}
