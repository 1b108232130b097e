import type { Domain } from "../protocol/address.js";
import type { StoredTransaction } from "./sending-store.js";
import type { DepartingMessage } from "./shipment-store.js";

/**
 * The body of a delivery, as the bytes that are sent. The same rows under the same transaction give the same bytes on
 * every node and in every attempt: the peer tells a repetition from another transaction of the same id by them.
 */
export function writeBody(
  origin: Domain,
  destination: Domain,
  { transaction, messages }: { transaction: StoredTransaction; messages: readonly DepartingMessage[] },
): Buffer {
  const head = JSON.stringify({ origin_server: origin, transaction_id: transaction.id, timestamp: transaction.at });
  const texts = messages.map((message) => `${opening(message, destination)}${inOneLine(message.ciphertext)}"}`);
  return Buffer.from(`${head.slice(0, -1)},"messages":[${texts.join(",")}]}`);
}

/** Base64 that PostgreSQL has written comes in lines (RFC 2045, section 6.8). */
function inOneLine(base64: string): string {
  return base64.replaceAll("\n", "");
}

/** The message as JSON up to the place where its ciphertext goes. */
function opening(message: DepartingMessage, destination: Domain): string {
  const { system_event: event } = message;
  const members = {
    message_id: message.message_id,
    recipient_address: `${message.recipient}@${destination}`,
    sender_signature: message.sender_signature,
    timestamp: message.sent_at,
    ...(event && { system_event: { event: event.event, extension_type: event.extensionType } }),
    dedup_tag: message.dedup_tag,
  };
  return `${JSON.stringify(members).slice(0, -1)},"mls_ciphertext":"`;
}
