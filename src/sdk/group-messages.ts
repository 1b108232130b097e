import type { components } from "../../generated/openapi-types.js";
import { unlessAborted } from "./abort.js";
import { demandAddress, demandArray, demandOptions } from "./arguments.js";
import type { Caller, CallOptions } from "./calls.js";
import type { Connection } from "./connection.js";
import { type OutgoingMessage, wireContent } from "./messages.js";

/** An encrypted message for many recipients. */
export interface GroupMessage extends Omit<OutgoingMessage, "to"> {
  /** `<prefix>@<domain>`, of any relay. */
  to: readonly string[];
  /**
   * Whether to send to nobody if a recipient would be refused for the sender's limit or a full queue; the call then throws
   * an AnswerError of RATE_LIMIT_EXCEEDED or QUEUE_FULL. Throws an Error at once where the relay cannot promise that.
   */
  allOrNothing?: boolean;
}

export interface GroupResult {
  messageId: string;
  /** In the order of `to`. */
  recipients: components["schemas"]["RecipientStatus"][];
}

/** More than any group of MLS has in practice. */
const mostRecipients = 100_000;
const mostInBatch = 100;
const batchCharacters = 2 ** 24;
const charactersAround = 1_000;

/**
 * Sends one ciphertext to many recipients: in one request where the relay takes it, otherwise in batches. Where a request
 * fails or is aborted, some recipients may have the message: send it again with the same `messageId`.
 */
export async function sendToGroup(
  given: GroupMessage,
  { connection, caller, options = {} }: { connection: Connection; caller: Caller; options?: CallOptions | undefined },
): Promise<GroupResult> {
  demandOptions(given, "message");
  const { to, allOrNothing = false, ...message } = given;
  demandArray(to, { what: "message.to", most: mostRecipients }, demandAddress);
  const { capabilities } = await unlessAborted(connection.discover(), options.signal);
  // A relay of an earlier version states no number.
  const most = (capabilities.max_message_recipients as number | undefined) ?? 0;
  if (allOrNothing && to.length > most) throw new Error(`the relay sends at most ${most} messages all or nothing`);
  const content = await wireContent(message, connection);
  const { message_id: messageId, mls_ciphertext } = content;
  const recipients: GroupResult["recipients"] = [];
  if (most > 0) {
    for (const part of partsOf(to, most)) {
      const body = { ...content, recipients: part, ...(allOrNothing && { all_or_nothing: true }) };
      recipients.push(...(await caller.call("sendMessageToMany", { ...options, body })).recipient_statuses);
    }
    return { messageId, recipients };
  }
  const fitting = Math.floor(batchCharacters / (mls_ciphertext.length + charactersAround));
  for (const part of partsOf(to, Math.min(mostInBatch, Math.max(1, fitting)))) {
    const messages = part.map((recipient_address) => ({ ...content, recipient_address }));
    const { message_statuses } = await caller.call("sendMessageBatch", { ...options, body: { messages } });
    recipients.push(
      ...message_statuses.map(({ message_id, ...status }, i) => ({ recipient_address: part[i] ?? "", ...status })),
    );
  }
  return { messageId, recipients };
}

function partsOf(list: readonly string[], size: number): string[][] {
  const parts: string[][] = [];
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size));
  return parts;
}
