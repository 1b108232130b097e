import { hold, NotChecked, same } from "../harness/assertions.js";
import { newUuid, type QueuedMessage, type SpecificationDevice } from "./device.js";
import { type Answer, demandForm, expectBody, expectRefusal, flag, text, whole } from "./server.js";
import type { SpecificationContext, SpecificationRule } from "./types.js";

const section = "Message routing";
const stored = { message_id: text, status: "queued", delivery_estimate: /^(immediate|delayed)$/ };
const queued = { message_id: text, mls_ciphertext: text, sender_signature: text, timestamp: whole, received_at: whole };

export const messageRules: readonly SpecificationRule[] = [
  {
    id: "messages.queued",
    title: "a message is queued and polled unchanged, and does not reveal its sender",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const message = alice.message(bob.address);
      const answer = await alice.call("POST", "/v1/messages", { body: message });
      same(expectBody(answer, 202, stored)["message_id"], message.message_id, "message_id");
      const page = await bob.call("GET", "/v1/messages");
      const form = { messages: [queued] as const, has_more: flag, next_poll_interval: whole, server_timestamp: whole };
      const [got] = expectBody<{ messages: QueuedMessage[] }>(page, 200, form).messages;
      const { received_at: _, message_id, ...content } = got ?? ({} as QueuedMessage);
      const { recipient_address: __, message_id: sent, ...expected } = message;
      same(plain(message_id), plain(sent), "message_id");
      for (const [name, value] of Object.entries(expected)) same(content[name], value, name);
      for (const spelling of [alice.deviceId, alice.publicKey, alice.address])
        hold(!page.text.includes(spelling), "the answer names the sender");
    },
  },
  {
    id: "messages.spelling",
    title: "a message id may be 32 hex characters without hyphens",
    section: "Message (client to server)",
    async check(context) {
      const [alice, bob] = await pair(context);
      const message_id = plain(alice.message(bob.address).message_id);
      expectBody(await alice.send(bob.address, { message_id }), 202, stored);
      same(
        (await bob.queue()).map((one) => plain(one.message_id)),
        [message_id],
        "the queue",
      );
    },
  },
  {
    id: "messages.duplicate",
    title: "a message that is sent twice is stored once",
    section: "Message (client to server)",
    async check(context) {
      const [alice, bob] = await pair(context);
      const body = alice.message(bob.address);
      for (const _ of [1, 2]) expectBody(await alice.call("POST", "/v1/messages", { body }), 202, stored);
      same((await bob.queue()).length, 1, "messages in the queue");
    },
  },
  {
    id: "messages.unknown-address",
    title: "a message to an unknown address is answered 404",
    section: "Delivery mapping",
    async check(context) {
      const alice = await context.alice();
      expectRefusal(await alice.send(`${newUuid(context.server)}@${context.server.domain}`), { status: 404 });
    },
  },
  {
    id: "messages.malformed",
    title: "a message to no address is INVALID_ADDRESS (4005), and one without ciphertext is refused",
    section: "Errors",
    async check(context) {
      const [alice, bob] = await pair(context);
      expectRefusal(await alice.send("nobody"), { error: "INVALID_ADDRESS", code: 4005 });
      expectRefusal(await alice.send(bob.address, { mls_ciphertext: "" }));
      same((await bob.queue()).length, 0, "messages in the queue");
    },
  },
  {
    id: "messages.id",
    title: "a message id that is no UUIDv7 is refused",
    section: "Message (client to server)",
    async check(context) {
      const [alice, bob] = await pair(context);
      for (const message_id of ["nonsense", newUuid(context.server)])
        expectRefusal(await alice.send(bob.address, { message_id }));
      same((await bob.queue()).length, 0, "messages in the queue");
    },
  },
  {
    id: "messages.since",
    title: "a poll since a time has only what was received after it",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      expectBody(await alice.send(bob.address), 202, stored);
      const [received_at = 0] = (await bob.queue()).map((one) => one.received_at);
      for (const [since, count] of [
        [received_at - 60, 1],
        [received_at + 60, 0],
      ] as const) {
        const answer = await bob.call("GET", `/v1/messages?since=${since}`);
        same(expectBody<{ messages: unknown[] }>(answer, 200).messages.length, count, "messages in the page");
      }
    },
  },
  {
    id: "messages.errors",
    title: "an error has a name, a text and a whole number",
    section: "Errors",
    async check(context) {
      const alice = await context.alice();
      const answer = await alice.send("nobody");
      demandForm(answer.body, { error: text, message: text, code: whole }, "the body");
    },
  },
  {
    id: "messages.token",
    title: "sending and polling need a device's token",
    section: "Authentication",
    async check(context) {
      const [alice, bob] = await pair(context);
      for (const token of [undefined, "nonsense"]) {
        expectRefusal(await alice.call("POST", "/v1/messages", { token, body: alice.message(bob.address) }));
        expectRefusal(await bob.call("GET", "/v1/messages", { token }));
      }
    },
  },
  {
    id: "messages.batch",
    title: "every message in a batch gets its own status",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const bad = `${newUuid(context.server)}@${context.server.domain}`;
      const messages = [alice.message(bob.address), alice.message(bad), alice.message(bob.address)];
      const answer = await alice.call("POST", "/v1/messages/batch", { body: { messages } });
      const form = {
        accepted_count: 2,
        rejected_count: 1,
        message_statuses: [{ message_id: text, status: text }] as const,
      };
      const { message_statuses } = expectBody<{ message_statuses: { message_id: string }[] }>(answer, 202, form);
      same(
        message_statuses.map((one) => plain(one.message_id)),
        messages.map((one) => plain(one.message_id)),
        "the statuses",
      );
      same((await bob.queue()).length, 2, "messages in the queue");
    },
  },
  {
    id: "messages.pages",
    title: "a page ends at its limit, oldest first, and says whether there is more",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const first = expectBody(await alice.send(bob.address), 202, stored)["message_id"];
      expectBody(await alice.send(bob.address), 202, stored);
      const page = await bob.call("GET", "/v1/messages?limit=1");
      const { messages } = expectBody<{ messages: QueuedMessage[] }>(page, 200, { has_more: true });
      same(
        messages.map((one) => plain(one.message_id)),
        [plain(String(first))],
        "the page",
      );
      expectRefusal(await bob.call("GET", "/v1/messages?limit=1001"));
    },
  },
  {
    id: "messages.redelivery",
    title: "what is not acknowledged comes with every poll; what is acknowledged never again",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const { message_id } = expectBody<{ message_id: string }>(await alice.send(bob.address), 202, stored);
      for (const _ of [1, 2])
        same(
          (await bob.queue()).map((one) => plain(one.message_id)),
          [plain(message_id)],
          "the queue",
        );
      const acknowledge = () => bob.call("DELETE", `/v1/messages/${message_id}`);
      expectBody(await acknowledge(), 200, { acknowledged: true });
      same((await bob.queue()).length, 0, "messages in the queue after it");
      const again: Answer = await acknowledge();
      if (again.status !== 404) expectBody(again, 200, { acknowledged: false });
    },
  },
  {
    id: "messages.acknowledged-list",
    title: "a list of acknowledgements says how many succeeded and failed",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const { message_id } = expectBody<{ message_id: string }>(await alice.send(bob.address), 202, stored);
      const body = { message_ids: [message_id, alice.message(bob.address).message_id] };
      const answer = await bob.call("POST", "/v1/messages/ack", { body });
      expectBody(answer, 200, { acknowledged_count: 1, failed_count: 1 });
      same((await bob.queue()).length, 0, "messages in the queue");
    },
  },
  {
    id: "messages.tenancy",
    title: "a device cannot remove what is queued for another",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const { message_id } = expectBody<{ message_id: string }>(await alice.send(bob.address), 202, stored);
      await alice.call("DELETE", `/v1/messages/${message_id}`);
      same((await bob.queue()).length, 1, "messages in the queue");
    },
  },
  {
    id: "messages.remote",
    title: "a message to another domain is answered federated, or refused by a server without federation",
    section,
    async check(context) {
      const alice = await context.alice();
      const answer = await alice.send(`${newUuid(context.server)}@conformance.invalid`);
      if (answer.status >= 400) throw new NotChecked("the server sends nothing to this domain");
      expectBody(answer, 202, { status: "federated" });
    },
  },
  {
    id: "moderation.report",
    title: "a spam report is recorded",
    section: "Spam report",
    async check(context) {
      const [alice, bob] = await pair(context);
      const { message_id } = expectBody<{ message_id: string }>(await alice.send(bob.address), 202, stored);
      const body = { message_id, sender_id: alice.deviceId, reason: "spam", details: "conformance suite" };
      const form = { report_id: text, reported_at: whole, action_taken: "recorded" };
      expectBody(await bob.call("POST", "/v1/spam/report", { body }), 200, form);
    },
  },
  {
    id: "moderation.token",
    title: "a spam report needs a device's token",
    section: "Spam report",
    async check({ server, alice }) {
      const { deviceId: sender_id, message } = await alice();
      const { message_id } = message("nobody");
      const body = { message_id, sender_id, reason: "spam" };
      expectRefusal(await server.call("POST", "/v1/spam/report", { body }));
    },
  },
];

/** The sender, and a recipient with an empty queue. */
export async function pair(context: SpecificationContext): Promise<[SpecificationDevice, SpecificationDevice]> {
  const [alice, bob] = [await context.alice(), await context.bob()];
  await bob.clear();
  return [alice, bob];
}

/** Ids are compared without hyphens and case. */
export function plain(id: string): string {
  return id.replaceAll("-", "").toLowerCase();
}
