import { encodeBase64 } from "../../protocol/encodings.js";
import { hold, LimitReached, NotChecked, refused, same, success } from "../harness/assertions.js";
import type { Harness, Rule } from "../harness/types.js";

const nobody = "00000000-0000-4000-8000-000000000000";

export const messageRules: readonly Rule[] = [
  {
    id: "messages.queued",
    title: "a message is queued, and delivered unchanged, without anything that identifies the sender",
    source: "openapi: sendMessage, pollMessages",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const body = alice.message(bob.address);
      same(success(await alice.call("sendMessage", { body }), 202).status, "queued", "status");
      const { messages, has_more } = success(await bob.call("pollMessages"), 200);
      same(has_more, false, "has_more");
      const [{ received_at, ...rest } = { received_at: 0 }] = messages;
      const { recipient_address: _, ...sent } = body;
      same(rest, sent, "the message");
      hold(Math.abs(received_at - (await harness.now())) < 60, "received_at is not now");
    },
  },
  {
    id: "messages.spelling",
    title:
      "a message id may be spelled as 32 hex characters, is answered as it was spelled, and delivered with hyphens",
    source: "openapi: MessageId, CanonicalMessageId",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const id = alice.client.connection.newMessageId();
      const spelled = id.replaceAll("-", "").toUpperCase();
      const body = alice.message(bob.address, { messageId: spelled });
      same(success(await alice.call("sendMessage", { body }), 202).message_id, spelled, "message_id");
      same((await bob.queue()).includes(id), true, "the queue has it");
    },
  },
  {
    id: "messages.duplicate",
    title: "a repeated message is answered like the first time and stored once, also when ten come at once",
    source: "openapi: sendMessage; specification, Message",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const body = alice.message(bob.address);
      const answers = await Promise.all(Array.from({ length: 10 }, () => alice.call("sendMessage", { body })));
      if (answers.some(({ status }) => status === 429)) throw new LimitReached("the suite's device may send no more");
      for (const answer of answers) same(success(answer, 202).message_id, body["message_id"], "message_id");
      same(await bob.queue(), [body["message_id"]], "the queue");
    },
  },
  {
    id: "messages.fan-out",
    title: "one message id sent to two recipients is delivered to both",
    source: "openapi: sendMessage",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const messageId = alice.client.connection.newMessageId();
      await alice.send(bob.address, { messageId });
      await alice.send(alice.address, { messageId });
      hold((await bob.queue()).includes(messageId), "the first recipient does not have it");
      hold((await alice.queue()).includes(messageId), "the second recipient does not have it");
      await alice.clear();
    },
  },
  {
    id: "messages.unknown-recipient",
    title: "a message to an unknown address is refused",
    source: "openapi: sendMessage; errors.yaml: ADDRESS_NOT_FOUND",
    async check(harness) {
      const alice = await harness.alice();
      const body = alice.message(`${nobody}@${harness.domain}`);
      refused(await alice.call("sendMessage", { body }), "ADDRESS_NOT_FOUND");
    },
  },
  ...malformed(),
  {
    id: "messages.batch",
    title: "each message of a batch is judged separately, in order",
    source: "openapi: sendMessageBatch",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const good = [alice.message(bob.address), alice.message(bob.address)];
      const bad = [alice.message(`${nobody}@${harness.domain}`), alice.message(bob.address, { mls_ciphertext: "%" })];
      const messages = [good[0], bad[0], good[1], bad[1]];
      const body = success(await alice.call("sendMessageBatch", { body: { messages } }), 202);
      same([body.accepted_count, body.rejected_count], [2, 2], "the counts");
      const statuses = body.message_statuses.map(({ status }) => status);
      same(statuses, ["queued", "rejected", "queued", "rejected"], "the statuses");
      same(body.message_statuses[1]?.error, "ADDRESS_NOT_FOUND", "the error of the second");
      same(
        await bob.queue(),
        good.map((message) => message["message_id"]),
        "the queue",
      );
    },
  },
  {
    id: "messages.batch-size",
    title: "a batch of 101 messages is refused as a whole",
    source: "openapi: SendMessageBatchRequest",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const messages = Array.from({ length: 101 }, () => alice.message(bob.address));
      refused(await alice.call("sendMessageBatch", { body: { messages } }), "INVALID_REQUEST");
      same(await bob.queue(), [], "the queue");
    },
  },
  {
    id: "messages.many",
    title: "a message to many is queued for each recipient separately, and repeated like a single message",
    source: "openapi: sendMessageToMany",
    async check(harness) {
      await demandManyRecipients(harness);
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      for (const device of [alice, bob]) await device.clear();
      const recipients = [bob.address, `${nobody}@${harness.domain}`, "somewhere", alice.address];
      const { recipient_address: _, ...content } = alice.message("");
      for (let i = 0; i < 2; i++) {
        const answer = await alice.call("sendMessageToMany", { body: { ...content, recipients } });
        const body = success(answer, 202);
        const statuses: string[] = body.recipient_statuses.map(({ status, error }) => error ?? status);
        if (statuses.includes("RATE_LIMIT_EXCEEDED")) throw new LimitReached("the suite's device may send no more");
        same(statuses, ["queued", "ADDRESS_NOT_FOUND", "INVALID_ADDRESS", "queued"], "the statuses");
        same([body.accepted_count, body.rejected_count], [2, 2], "the counts");
      }
      for (const device of [alice, bob]) {
        same(await device.queue(), [content["message_id"]], "the queue");
        await device.clear();
      }
    },
  },
  {
    id: "messages.copies",
    title: "copies of one message in a batch have one recipient each, and a second one for the same is rejected alone",
    source: "openapi: sendMessageBatch, one_message; ServerCapabilities, group_message_cost",
    async check(harness) {
      const { capabilities } = success(await harness.call("getDiscovery"), 200);
      if (capabilities.group_message_cost === undefined) throw new NotChecked("the server counts no copies together");
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      for (const device of [alice, bob]) await device.clear();
      const messages = [bob, alice, bob].map(({ address }) => alice.message(address));
      const answer = await alice.call("sendMessageBatch", { body: { messages, one_message: true } });
      const statuses: string[] = success(answer, 202).message_statuses.map(({ status, error }) => error ?? status);
      if (statuses.includes("RATE_LIMIT_EXCEEDED")) throw new LimitReached("the suite's device may send no more");
      same(statuses, ["queued", "queued", "INVALID_REQUEST"], "the statuses");
      for (const [i, device] of [bob, alice].entries()) {
        same(await device.queue(), [messages[i]?.["message_id"]], "the queue");
        await device.clear();
      }
    },
  },
  {
    id: "messages.many-size",
    title: "a message to more recipients than the discovery document says is refused as a whole",
    source: "openapi: SendMessageToManyRequest; ServerCapabilities, max_message_recipients",
    async check(harness) {
      const max = await demandManyRecipients(harness);
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const { recipient_address: _, ...content } = alice.message("");
      const recipients = Array.from({ length: max + 1 }, () => bob.address);
      refused(await alice.call("sendMessageToMany", { body: { ...content, recipients } }), "INVALID_REQUEST");
      same(await bob.queue(), [], "the queue");
    },
  },
  {
    id: "messages.all-or-nothing",
    title: "beyond the limit a message to many lists every recipient, or with all_or_nothing is refused as a whole",
    source: "openapi: sendMessageToMany; errors.yaml: RATE_LIMIT_EXCEEDED",
    requires: ["admin"],
    async check(harness) {
      await demandManyRecipients(harness);
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const limit = (custom_rate_limit: number) =>
        harness.admin("setRateLimit", {
          body: { device_id: alice.deviceId, custom_rate_limit, reason: "conformance" },
        });
      const { recipient_address: _, ...content } = alice.message("");
      const body = { ...content, recipients: [bob.address, alice.address] };
      success(await limit(0), 200);
      try {
        const listed = success(await alice.call("sendMessageToMany", { body }), 202);
        same(
          listed.recipient_statuses.map(({ error }) => error),
          Array(2).fill("RATE_LIMIT_EXCEEDED"),
          "the errors",
        );
        const whole = await alice.call("sendMessageToMany", { body: { ...body, all_or_nothing: true } });
        refused(whole, "RATE_LIMIT_EXCEEDED");
        same(await bob.queue(), [], "the queue");
      } finally {
        success(await limit(1000), 200);
      }
      success(await alice.call("sendMessageToMany", { body: { ...body, all_or_nothing: true } }), 202);
      same(await bob.queue(), [content["message_id"]], "the queue");
      for (const device of [alice, bob]) await device.clear();
    },
  },
  {
    id: "messages.size",
    title: "a ciphertext of max_message_size is taken and one byte more is MESSAGE_TOO_LARGE",
    source: "openapi: ServerCapabilities, max_message_size; errors.yaml: MESSAGE_TOO_LARGE",
    requires: ["test profile"],
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const { capabilities } = success(await harness.call("getDiscovery"), 200);
      const max = capabilities.max_message_size;
      if (max > 32 * 1024 * 1024) throw new NotChecked(`${max} bytes are too many to try`);
      await alice.send(bob.address, { ciphertext: new Uint8Array(max) });
      const body = alice.message(bob.address, { ciphertext: new Uint8Array(max + 1) });
      refused(await alice.call("sendMessage", { body }), "MESSAGE_TOO_LARGE");
      await bob.clear();
    },
  },
  {
    id: "messages.rate-limit",
    title: "beyond its limit a device gets 429 with the limit, the reset time and Retry-After",
    source: "openapi: sendMessage; errors.yaml: RATE_LIMIT_EXCEEDED",
    requires: ["admin"],
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const limit = (custom_rate_limit: number) =>
        harness.admin("setRateLimit", {
          body: { device_id: alice.deviceId, custom_rate_limit, reason: "conformance" },
        });
      success(await limit(0), 200);
      try {
        const answer = await alice.call("sendMessage", { body: alice.message(bob.address) });
        refused(answer, "RATE_LIMIT_EXCEEDED");
        same(answer.body["limit"], 0, "limit");
        hold(answer.headers.has("retry-after"), "there is no Retry-After");
      } finally {
        success(await limit(1000), 200);
      }
      await alice.send(bob.address);
      await bob.clear();
    },
  },
];

/** Maximum number of recipients of one message. Throws NotChecked if the server sends to one at a time. */
async function demandManyRecipients(harness: Harness): Promise<number> {
  const { capabilities } = success(await harness.call("getDiscovery"), 200);
  const max = capabilities.max_message_recipients as number | undefined;
  if (max === undefined) throw new NotChecked("the server offers no messages to many");
  return max;
}

/** What is wrong with a message, and the error that reports it. */
function malformed(): Rule[] {
  const wrong: [string, string, Record<string, unknown>, "INVALID_REQUEST" | "INVALID_ADDRESS"][] = [
    ["id", "whose id is a UUIDv4", { message_id: nobody }, "INVALID_REQUEST"],
    ["empty", "without ciphertext", { mls_ciphertext: "" }, "INVALID_REQUEST"],
    ["base64", "whose base64 is not canonical", { mls_ciphertext: "AB==" }, "INVALID_REQUEST"],
    ["base64url", "in the alphabet of URLs", { mls_ciphertext: "-_-_" }, "INVALID_REQUEST"],
    ["signature", "without a signature", { sender_signature: "" }, "INVALID_REQUEST"],
    ["timestamp", "whose timestamp is a text", { timestamp: "now" }, "INVALID_REQUEST"],
    ["unknown", "with a member that the contract does not name", { sender: "alice" }, "INVALID_REQUEST"],
    ["missing", "without a timestamp", { timestamp: undefined }, "INVALID_REQUEST"],
    ["event", "with an unknown event", { system_event: { event: "party" } }, "INVALID_REQUEST"],
    ["address", "to an invalid address", { recipient_address: "somewhere" }, "INVALID_ADDRESS"],
    ["host", "to a number in place of a domain", { recipient_address: `${nobody}@10.0.0.1` }, "INVALID_ADDRESS"],
  ];
  return wrong.map(([name, which, members, error]) => ({
    id: `messages.malformed.${name}`,
    title: `a message ${which} is refused with ${error}`,
    source: "openapi: SendMessageRequest",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const body = alice.message(bob.address, {
        ciphertext: Buffer.from(encodeBase64(harness.random.bytes(9))),
        ...members,
      });
      refused(await alice.call("sendMessage", { body }), error);
    },
  }));
}
