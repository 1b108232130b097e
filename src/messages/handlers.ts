import type { Call, MessagesHandlers } from "../../generated/handlers.js";
import type { components } from "../../generated/openapi-types.js";
import { joinedLength, joinJson } from "../platform/joined-json.js";
import { encodeBase64 } from "../protocol/encodings.js";
import { errorBody } from "../protocol/errors.js";
import type { QueuedMessage, SentContent, SentMessage } from "./model/types.js";
import type { BatchResult, RecipientResult } from "./send.js";
import type { MessagesService } from "./service.js";

type Schemas = components["schemas"];
type Sendable = Call<"sendMessage">["body"] | Schemas["BatchMessage"];

type MessageRequests = Pick<MessagesService, "send" | "sendBatch" | "sendToMany" | "poll" | "acknowledgeIds">;

/** Translates the requests of the tag `messages`. */
export function createMessagesHandlers({ messages }: { messages: MessageRequests }): MessagesHandlers {
  return {
    async sendMessage(call) {
      const { status, estimate } = await messages.send(call.principal.deviceId, readMessage(call.body), call);
      return call.reply({
        status: 202,
        body: { message_id: call.body.message_id, status, delivery_estimate: estimate },
      });
    },
    async sendMessageBatch(call) {
      const batch = { messages: call.body.messages.map(readMessage), oneMessage: call.body.one_message ?? false };
      const results = await messages.sendBatch(call.principal.deviceId, batch, call);
      const rejected = results.filter((result) => "error" in result).length;
      return call.reply({
        status: 202,
        body: {
          accepted_count: results.length - rejected,
          rejected_count: rejected,
          message_statuses: results.map(showStatus),
        },
      });
    },
    async sendMessageToMany(call) {
      const { body } = call;
      const message = {
        ...readContent(body),
        recipients: body.recipients,
        allOrNothing: body.all_or_nothing ?? false,
      };
      const { recipients } = await messages.sendToMany(call.principal.deviceId, message, call);
      const rejected = recipients.filter((result) => "error" in result).length;
      return call.reply({
        status: 202,
        body: {
          message_id: body.message_id,
          accepted_count: recipients.length - rejected,
          rejected_count: rejected,
          recipient_statuses: recipients.map(showRecipient),
        },
      });
    },
    async pollMessages(call) {
      const page = await messages.poll(call.principal.deviceId, call.query, call.left());
      return call.reply({
        status: 200,
        body: {
          messages: page.messages.map(showMessage),
          has_more: page.hasMore,
          next_poll_interval: page.nextPollSeconds,
          server_timestamp: page.now,
        },
        encode: encodePage,
      });
    },
    async acknowledgeMessage(call) {
      const [acknowledged = false] = await messages.acknowledgeIds(call.principal.deviceId, [call.params.message_id]);
      return call.reply({ status: 200, body: { acknowledged } });
    },
    async acknowledgeMessages(call) {
      const results = await messages.acknowledgeIds(call.principal.deviceId, call.body.message_ids);
      const acknowledged = results.filter(Boolean).length;
      return call.reply({
        status: 200,
        body: { acknowledged_count: acknowledged, failed_count: results.length - acknowledged },
      });
    },
  };
}

function readMessage(body: Sendable): SentMessage {
  return { ...readContent(body), recipientAddress: body.recipient_address };
}

function readContent(body: Omit<Sendable, "recipient_address">): SentContent {
  const { system_event: event } = body;
  return {
    messageId: body.message_id,
    mlsCiphertext: body.mls_ciphertext,
    senderSignature: body.sender_signature,
    timestamp: body.timestamp,
    systemEvent: event === undefined ? null : { event: event.event, extensionType: event.extension_type ?? null },
    lifetimeSeconds: body.expires_in_seconds,
  };
}

function showStatus(result: BatchResult): Schemas["MessageStatus"] {
  return { message_id: result.messageId, ...statusMembers(result) };
}

function showRecipient(result: RecipientResult): Schemas["RecipientStatus"] {
  const recipient_address = result.address;
  return "error" in result
    ? { recipient_address, ...statusMembers(result) }
    : { recipient_address, status: result.status };
}

function statusMembers(result: BatchResult | RecipientResult): Omit<Schemas["MessageStatus"], "message_id"> {
  if (!("error" in result)) return { status: result.status };
  const { message: _, ...reason } = errorBody(result.error);
  return { status: "rejected", ...statusError(reason) } as Omit<Schemas["MessageStatus"], "message_id">;
}

/** The members of an error in a status. Only rate-limit errors have the members that say when to try again. */
function statusError({ error, code, limit, reset_at, retry_after }: Omit<ReturnType<typeof errorBody>, "message">) {
  if (limit === undefined) return { error, code };
  return { error, code, limit, reset_at, retry_after };
}

function showMessage(message: QueuedMessage): Schemas["QueuedMessage"] {
  const shown: Schemas["QueuedMessage"] = {
    message_id: message.messageId,
    mls_ciphertext: encodeBase64(message.ciphertext),
    sender_signature: message.senderSignature,
    timestamp: message.timestamp,
    received_at: message.receivedAt,
  };
  if (message.systemEvent === null) return shown;
  const { event, extensionType } = message.systemEvent;
  return { ...shown, system_event: { event, extension_type: extensionType } };
}

/** The JSON of a page. A long ciphertext is copied once, into the answer. */
function encodePage(page: Schemas["PollMessagesResponse"]): string | Buffer {
  const joined = page.messages.map(({ mls_ciphertext: text }) => (text.length < joinedLength ? "" : text));
  if (!joined.some(Boolean)) return JSON.stringify(page);
  const rest = page.messages.map((one, i) => (joined[i] === "" ? one : { ...one, mls_ciphertext: "" }));
  return joinJson(JSON.stringify({ ...page, messages: rest }), "mls_ciphertext", joined);
}
