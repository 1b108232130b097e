import { joinAttached } from "../../platform/attached-bytes.js";
import type { DeliveryBody } from "../peers/types.js";
import type { DeliveryForm, StoredTransaction } from "./stored-transaction.js";
import type { DepartingMessage } from "./transaction-store.js";

interface Contents {
  transaction: StoredTransaction;
  messages: readonly DepartingMessage[];
}

/**
 * The body of a delivery. The same rows in the same transaction give the same bytes on every node and in every attempt,
 * since the peer compares bodies to recognise a repetition.
 */
export function writeDeliveryBody(
  { origin, destination }: { origin: string; destination: string },
  { transaction, messages }: Contents,
): DeliveryBody {
  const { form } = transaction;
  const { attached } = form;
  const head = JSON.stringify({ origin_server: origin, transaction_id: transaction.id, timestamp: transaction.at });
  let carrier = 0;
  const texts = messages.map((message, i) => {
    const start = opening(message, { domain: destination, form, at: transaction.at });
    if (!message.carried) return `${start},"ciphertext_from":${carrier}}`;
    carrier = i;
    if (attached) return `${start},"ciphertext_bytes":${message.size}}`;
    return `${start},"mls_ciphertext":"${inOneLine(message.ciphertext ?? "")}"}`;
  });
  const json = `${head.slice(0, -1)},"messages":[${texts.join(",")}]}`;
  if (!attached) return { bytes: Buffer.from(json), attached };
  return { bytes: joinAttached(json, messages[0]?.ciphertexts ?? Buffer.alloc(0)), attached };
}

/** PostgreSQL writes base64 in lines (RFC 2045, section 6.8). */
function inOneLine(base64: string): string {
  return base64.replaceAll("\n", "");
}

/** The message as JSON, up to its ciphertext. */
function opening(
  message: DepartingMessage,
  { domain, form, at }: { domain: string; form: DeliveryForm; at: number },
): string {
  const { system_event: event, expires_at: expiresAt } = message;
  const members = {
    message_id: message.message_id,
    recipient_address: `${message.recipient}@${domain}`,
    sender_signature: message.sender_signature,
    timestamp: message.sent_at,
    ...(form.events && event && { system_event: { event: event.event, extension_type: event.extensionType } }),
    ...(form.lifetimes && expiresAt !== null && { expires_in_seconds: expiresAt - at }),
    ...(form.tags && { dedup_tag: message.dedup_tag }),
  };
  return JSON.stringify(members).slice(0, -1);
}
