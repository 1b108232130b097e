import type { components } from "../../../generated/openapi-types.js";
import type { Caller, CallOptions } from "../connection/calls.js";
import type { Connection } from "../connection/connection.js";
import { unlessAborted } from "../runtime/abort.js";
import { demandAddress, demandArray, demandOptions } from "../runtime/arguments.js";
import { encodeContent, type OutgoingMessage } from "./messages.js";

/** An encrypted message for many recipients. */
export interface GroupMessage extends Omit<OutgoingMessage, "to"> {
  /** `<prefix>@<domain>`, at any relay. */
  to: readonly string[];
  /**
   * Sends to nobody if a recipient would be refused because of the sender's limit or a full queue; the call then throws
   * an AnswerError with RATE_LIMIT_EXCEEDED or QUEUE_FULL. Throws an Error at once if the relay cannot guarantee that.
   */
  allOrNothing?: boolean;
}

export interface GroupResult {
  messageId: string;
  /** In the order of `to`. */
  recipients: components["schemas"]["RecipientStatus"][];
}

/** More than any MLS group has in practice. */
const maxRecipients = 100_000;

/**
 * Sends one ciphertext to many recipients, in as few requests as the relay's limit allows. If a request fails or is
 * aborted, some recipients may have the message: send it again with the same `messageId`.
 */
export async function sendToGroup(
  given: GroupMessage,
  { connection, caller, options = {} }: { connection: Connection; caller: Caller; options?: CallOptions | undefined },
): Promise<GroupResult> {
  demandOptions(given, "message");
  const { to, allOrNothing = false, ...message } = given;
  demandArray(to, { what: "message.to", max: maxRecipients }, demandAddress);
  const { capabilities } = await unlessAborted(connection.discover(), options.signal);
  const max = capabilities.max_message_recipients;
  if (allOrNothing && to.length > max) throw new Error(`the relay sends at most ${max} messages all or nothing`);
  const content = await encodeContent(message, connection);
  const recipients: GroupResult["recipients"] = [];
  for (let at = 0; at < to.length; at += max) {
    const part = to.slice(at, at + max);
    const body = { ...content, recipients: part, ...(allOrNothing && { all_or_nothing: true }) };
    recipients.push(...(await caller.call("sendMessageToMany", { ...options, body })).recipient_statuses);
  }
  return { messageId: content.message_id, recipients };
}
