import type { Domain } from "../protocol/address.js";
import type { StoredTransaction } from "./sending-store.js";
import type { DepartingMessage } from "./shipment-store.js";

/**
 * The body of a delivery, as the bytes that are sent. The same rows under the same transaction give the same bytes on
 * every node and in every attempt: the peer tells a repetition from another transaction of the same id by them.
 *
 * Base64 is by far the largest part, so it does not pass through the text of the whole.
 */
export function writeBody(
  origin: Domain,
  destination: Domain,
  { transaction, messages }: { transaction: StoredTransaction; messages: readonly DepartingMessage[] },
): Buffer {
  const head = JSON.stringify({ origin_server: origin, transaction_id: transaction.id, timestamp: transaction.at });
  const parts = messages.map((message) => ({ text: opening(message, destination), bytes: message.ciphertext }));
  const body = Buffer.allocUnsafe(sizeOf(head, parts));
  let at = body.write(`${head.slice(0, -1)},"messages":[`);
  parts.forEach(({ text, bytes }, i) => {
    at += body.write(i === 0 ? text : `,${text}`, at);
    at += body.write(bytes.toString("base64"), at, "latin1");
    at += body.write('"}', at, "latin1");
  });
  at += body.write("]}", at, "latin1");
  return body.subarray(0, at);
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
    dedup_tag: message.dedup_tag.toString("hex"),
  };
  return `${JSON.stringify(members).slice(0, -1)},"mls_ciphertext":"`;
}

function sizeOf(head: string, parts: readonly { text: string; bytes: Buffer }[]): number {
  const punctuation = 16;
  return parts.reduce(
    (sum, { text, bytes }) => sum + Buffer.byteLength(text) + Math.ceil(bytes.length / 3) * 4 + punctuation,
    Buffer.byteLength(head) + 2 * punctuation,
  );
}
