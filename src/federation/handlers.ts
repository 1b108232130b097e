import type { Call, FederationHandlers } from "../../generated/handlers.js";
import type { components } from "../../generated/openapi-types.js";
import { invalidMember } from "../protocol/errors.js";
import { readHandle } from "../protocol/report-handles.js";
import type { DeliveryAnswer, FederatedMessage } from "./inbound/repeated-delivery.js";
import type { FederationService } from "./service.js";

type Schemas = components["schemas"];

const listCacheSeconds = 300;

/** Translates the federation operations between the wire and the service. */
export function createFederationHandlers({ federation }: { federation: FederationService }): FederationHandlers {
  return {
    async createFederationChallenge(call) {
      const { nonce, expiresAt } = await federation.challenge(call.body.origin_server, { ip: call.ip, observer: call });
      return call.reply({ status: 200, body: { nonce, expires_at: expiresAt } });
    },
    async authenticateServer(call) {
      const { token, expiresAt, rateLimits } = await federation.authenticate(
        {
          originServer: call.body.origin_server,
          serverCertificate: call.body.server_certificate,
          challengeResponse: call.body.challenge_response,
        },
        { ip: call.ip, observer: call },
      );
      const { messages, transactions } = rateLimits;
      return call.reply({
        status: 200,
        body: {
          federation_token: token,
          expires_at: expiresAt,
          rate_limits: { messages_per_minute: messages, transactions_per_minute: transactions },
        },
      });
    },
    async deliverTransaction(call) {
      const answer = await federation.deliver({
        caller: call.principal.domain,
        originHeader: call.headers["x-origin-server"],
        originServer: call.body.origin_server,
        transactionId: call.body.transaction_id,
        pathTransactionId: call.params.transaction_id,
        messages: readMessages(call.body.messages, call.attached),
        observer: call,
      });
      return call.reply({ status: 200, body: showAnswer(call.body.transaction_id, answer) });
    },
    async pushOnlineMessages(call) {
      await federation.pushOnline({
        caller: call.principal.domain,
        originHeader: call.headers["x-origin-server"],
        originServer: call.body.origin_server,
        messages: call.body.messages.map(({ mls_ciphertext: mlsCiphertext, ...sent }) => ({
          ...readMembers(sent),
          mlsCiphertext,
        })),
        observer: call,
      });
      return call.reply({ status: 202, body: { received: true } });
    },
    async forwardSpamReport(call) {
      const { body } = call;
      await federation.takeReport({
        caller: call.principal.domain,
        originHeader: call.headers["x-origin-server"],
        originServer: body.origin_server,
        reporter: body.reporter,
        messageId: body.message_id,
        sender: body.sender_id,
        handle: readHandle(body.report_handle),
        recipientAddress: body.recipient_address,
        reason: body.reason,
        observer: call,
      });
      return call.reply({ status: 202, body: { received: true } });
    },
    async getBlocklist(call) {
      const headers = { "Cache-Control": `public, max-age=${listCacheSeconds}` };
      return call.reply({ status: 200, headers, body: await federation.publish() });
    },
  };
}

type SentMessages = Call<"deliverTransaction">["body"]["messages"];

/** The messages with their ciphertexts, which are in the JSON or follow it. */
function readMessages(sent: SentMessages, attached: Buffer | null): FederatedMessage[] {
  const own = attached === null ? sent.map((one) => one.mls_ciphertext ?? undefined) : cutCiphertexts(sent, attached);
  return sent.map((one, i) => readMessage(one, i, own));
}

/** Throws INVALID_REQUEST if the lengths do not add up to the bytes. */
function cutCiphertexts(sent: SentMessages, attached: Buffer): (string | Buffer | undefined)[] {
  let end = 0;
  const cut = sent.map(({ ciphertext_bytes: bytes, mls_ciphertext: text }) => {
    if (bytes === undefined) return text ?? undefined;
    end += bytes;
    return text == null ? attached.subarray(end - bytes, end) : undefined;
  });
  if (end === attached.length) return cut;
  throw invalidMember("messages", "must have ciphertext_bytes that add up to the bytes behind the JSON");
}

const neededMembers = ["message_id", "recipient_address", "sender_signature", "timestamp"] as const;

type Ciphertext = FederatedMessage["mlsCiphertext"] | undefined;

/**
 * A message has exactly one of the members that name a ciphertext; `own` holds the ciphertexts that messages bring
 * themselves.
 */
function readMessage(sent: SentMessages[number], at: number, own: readonly Ciphertext[]): FederatedMessage {
  const { ciphertext_from: from } = sent;
  const shared = from !== undefined && from < at && own[at] === undefined ? own[from] : undefined;
  return {
    lacking: neededMembers.find((name) => sent[name] == null),
    ...readMembers(sent),
    // An empty ciphertext is refused for the message alone.
    mlsCiphertext: (from === undefined ? own[at] : shared) ?? "",
    ciphertextFrom: shared === undefined ? undefined : from,
    lifetimeSeconds: sent.expires_in_seconds,
    dedupTag: sent.dedup_tag,
  };
}

type Members = "message_id" | "recipient_address" | "sender_signature" | "timestamp" | "system_event";

function readMembers({ system_event: event, ...sent }: Pick<SentMessages[number], Members>) {
  return {
    messageId: sent.message_id ?? "",
    recipientAddress: sent.recipient_address ?? "",
    senderSignature: sent.sender_signature ?? "",
    timestamp: sent.timestamp ?? 0,
    systemEvent: event === undefined ? null : { event: event.event, extensionType: event.extension_type ?? null },
  };
}

function showAnswer(transactionId: string, answer: DeliveryAnswer): Schemas["DeliverTransactionResponse"] {
  const { accepted, rejected, timestamp } = answer;
  const status = rejected.length === 0 ? "accepted" : accepted.length === 0 ? "rejected" : "partial";
  return {
    transaction_id: transactionId,
    status,
    accepted_messages: accepted,
    rejected_messages: rejected.map(({ messageId, recipientAddress, error, code, message }) => ({
      message_id: messageId,
      recipient_address: recipientAddress,
      error: error as Schemas["ErrorName"],
      code: code as Schemas["ErrorCode"],
      message,
    })),
    timestamp,
  };
}
