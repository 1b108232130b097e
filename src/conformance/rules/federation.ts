import { hold, NotChecked, refused, same, success } from "../harness/assertions.js";
import { deliver, deliverAttached, federationToken, originOf, proofOf } from "../harness/origin.js";
import type { Harness, Rule } from "../harness/types.js";

export const federationRules: readonly Rule[] = [
  {
    id: "federation.challenge",
    title: "a nonce is 32 random bytes, valid for five minutes; an invalid domain gets none",
    source: "openapi: createFederationChallenge; errors.yaml: INVALID_ADDRESS",
    async check(harness) {
      const ask = (origin_server: string) => harness.call("createFederationChallenge", { body: { origin_server } });
      const first = await ask("conformance.invalid");
      if (first.status === 403 || first.status === 503) return refused(first, "SERVER_BLOCKED", "FEDERATION_DISABLED");
      const { nonce, expires_at } = success(first, 200);
      hold(success(await ask("conformance.invalid"), 200).nonce !== nonce, "the same nonce came twice");
      const left = expires_at - (await harness.now());
      hold(left > 200 && left <= 310, `it expires in ${left} seconds`);
      refused(await ask("10.0.0.1"), "INVALID_ADDRESS");
    },
  },
  {
    id: "federation.newer-peer",
    title: "unknown members of a newer peer are ignored",
    source: "openapi: requests between relays are open",
    async check(harness) {
      const body = { origin_server: "conformance.invalid", of_later: true };
      const answer = await harness.call("createFederationChallenge", { body });
      hold(answer.status !== 400, "they are refused");
    },
  },
  {
    id: "federation.authentication",
    title: "a server with a certificate of its domain gets a token and its limits; a nonce is valid once",
    source: "openapi: authenticateServer; errors.yaml: INVALID_CERTIFICATE",
    requires: ["origin"],
    async check(harness) {
      const body = await proofOf(harness);
      const { rate_limits, expires_at } = success(await harness.call("authenticateServer", { body }), 200);
      hold(rate_limits.messages_per_minute > 0, "it may deliver nothing");
      hold(expires_at > (await harness.now()) + 300, "the token expires within five minutes");
      refused(await harness.call("authenticateServer", { body }), "INVALID_CERTIFICATE");
    },
  },
  {
    id: "federation.online-only",
    title: "an online-only message of another server is pushed to an open stream, and is in no queue",
    source: "openapi: pushOnlineMessages; ServerCapabilities, federated_lifetimes",
    requires: ["origin"],
    async check(harness) {
      const { capabilities } = success(await harness.call("getDiscovery"), 200);
      if (capabilities.federated_lifetimes !== true)
        throw new NotChecked("the server takes no online-only messages from others");
      const bob = await harness.bob();
      await bob.clear();
      const stream = await harness.deviceStream(bob);
      const { domain } = originOf(harness);
      const sent = bob.message(bob.address);
      success(
        await harness.call("pushOnlineMessages", {
          token: await federationToken(harness),
          headers: { "x-origin-server": domain },
          body: { origin_server: domain, messages: [sent] },
        }),
        202,
      );
      const { data } = await stream.next("message");
      same([data.message_id, data.online], [sent.message_id, true], "what was pushed");
      same(await bob.queue(), [], "the queue");
      await stream.end();
    },
  },
  {
    id: "federation.report",
    title:
      "a spam report of another server is answered alike, whether or not the message was sent, and refused for a message to a third server",
    source: "openapi: forwardSpamReport; ServerCapabilities, federated_reports",
    requires: ["origin"],
    async check(harness) {
      const { capabilities } = success(await harness.call("getDiscovery"), 200);
      if (capabilities.federated_reports !== true) throw new NotChecked("the server takes no spam reports from others");
      const alice = await harness.alice();
      const { domain } = originOf(harness);
      const recipient_address = `${harness.random.uuid()}@${domain}`;
      const message_id = await alice.send(recipient_address);
      const report = async (changes: object) =>
        harness.call("forwardSpamReport", {
          token: await federationToken(harness),
          headers: { "x-origin-server": domain },
          body: {
            origin_server: domain,
            reporter: "ab".repeat(32),
            message_id,
            sender_id: alice.deviceId,
            recipient_address,
            reason: "other",
            ...changes,
          },
        });
      const answers = [await report({}), await report({}), await report({ sender_id: "cd".repeat(32) })];
      for (const answer of answers) same(success(answer, 202), { received: true }, "the answer");
      refused(await report({ recipient_address: alice.address }), "INVALID_ADDRESS");
    },
  },
  {
    id: "federation.impostor",
    title: "an answer for another server, an unknown nonce and a certificate of another domain are refused",
    source: "openapi: authenticateServer; errors.yaml: INVALID_CERTIFICATE",
    requires: ["origin"],
    async check(harness) {
      const elsewhere = await proofOf(harness, { audience: "elsewhere.example" });
      refused(await harness.call("authenticateServer", { body: elsewhere }), "INVALID_CERTIFICATE");
      const invented = await proofOf(harness, { nonce: "ab".repeat(32) });
      refused(await harness.call("authenticateServer", { body: invented }), "INVALID_CERTIFICATE");
      const other = { ...(await proofOf(harness)), origin_server: "other.example" };
      refused(await harness.call("authenticateServer", { body: other }), "INVALID_CERTIFICATE");
    },
  },
  {
    id: "federation.delivery",
    title: "delivered messages are queued, and undeliverable ones are rejected separately",
    source: "openapi: deliverTransaction",
    requires: ["origin"],
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const good = alice.message(bob.address);
      const bad = alice.message(`${harness.random.uuid()}@${harness.domain}`);
      const body = success(await deliver(harness, [good, bad]), 200);
      same(body.status, "partial", "status");
      same(body.accepted_messages, [good["message_id"]], "accepted_messages");
      const rejected = body.rejected_messages.map(({ message_id, error }) => [message_id, error]);
      same(rejected, [[bad["message_id"], "ADDRESS_NOT_FOUND"]], "rejected_messages");
      same(await bob.queue(), [good["message_id"]], "the queue");
      await bob.clear();
    },
  },
  {
    id: "federation.shared-ciphertext",
    title: "messages of a delivery may share a ciphertext, and one without any is rejected separately",
    source: "openapi: deliverTransaction, ciphertext_from; ServerCapabilities, shared_ciphertexts",
    requires: ["origin"],
    async check(harness) {
      const { capabilities } = success(await harness.call("getDiscovery"), 200);
      if (!capabilities.shared_ciphertexts) throw new NotChecked("the server takes no shared ciphertexts");
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      for (const device of [alice, bob]) await device.clear();
      const first = alice.message(bob.address);
      const messageId = first["message_id"] as string;
      const { mls_ciphertext, ...second } = alice.message(alice.address, { messageId });
      const messages = [first, { ...second, ciphertext_from: 0 }, { ...second, ciphertext_from: 2 }];
      const body = success(await deliver(harness, messages), 200);
      same(body.accepted_messages, [messageId, messageId], "accepted_messages");
      same(
        body.rejected_messages.map(({ error }) => error),
        ["INVALID_REQUEST"],
        "rejected_messages",
      );
      for (const device of [alice, bob]) {
        const queued = success(await device.call("pollMessages"), 200).messages;
        same(
          queued.map((one) => one.mls_ciphertext),
          [first["mls_ciphertext"]],
          "the ciphertexts",
        );
        await device.clear();
      }
    },
  },
  {
    id: "federation.attached-ciphertexts",
    title: "ciphertexts may follow the JSON of a delivery as bytes, and their lengths must add up",
    source: "openapi: deliverTransaction, ciphertext_bytes; ServerCapabilities, attached_ciphertexts",
    requires: ["origin"],
    async check(harness) {
      const { capabilities } = success(await harness.call("getDiscovery"), 200);
      if (capabilities.attached_ciphertexts !== true) throw new NotChecked("the server takes no attached ciphertexts");
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const { mls_ciphertext: text, ...rest } = alice.message(bob.address);
      const bytes = new Uint8Array(Buffer.from(text as string, "base64"));
      const attached = { ...rest, ciphertext_bytes: bytes.length };
      refused(await deliverAttached(harness, [attached], bytes.subarray(1)), "INVALID_REQUEST");
      const body = success(await deliverAttached(harness, [attached], bytes), 200);
      same(body.accepted_messages, [rest["message_id"]], "accepted_messages");
      const queued = success(await bob.call("pollMessages"), 200).messages;
      same(
        queued.map((one) => one.mls_ciphertext),
        [text],
        "the ciphertexts",
      );
      await bob.clear();
    },
  },
  {
    id: "federation.repetition",
    title:
      "a repeated transaction is answered like the first time and delivers nothing; with a new message it is CONFLICT",
    source: "openapi: deliverTransaction; errors.yaml: CONFLICT",
    requires: ["origin"],
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      await bob.clear();
      const transactionId = harness.random.uuid();
      const message = alice.message(bob.address);
      const body = { timestamp: await harness.now() };
      const send = (messages: unknown[]) => deliver(harness, messages, { transactionId, body });
      const [first, again] = [await send([message]), await send([message])];
      same(success(again, 200), success(first, 200), "the second answer");
      same((await bob.queue()).length, 1, "messages in the queue");
      refused(await send([alice.message(bob.address)]), "CONFLICT");
      await bob.clear();
    },
  },
  {
    id: "federation.consistency",
    title: "header, path and body of a delivery must agree, and the token must be the origin's",
    source: "openapi: deliverTransaction",
    requires: ["origin"],
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const messages = [alice.message(bob.address)];
      refused(await deliver(harness, messages, { pathId: harness.random.uuid() }), "INVALID_REQUEST");
      const header = await deliver(harness, messages, { header: "other.example" });
      refused(header, "INVALID_REQUEST", "INVALID_TOKEN");
      const body = { origin_server: "other.example" };
      refused(await deliver(harness, messages, { header: "other.example", body }), "INVALID_TOKEN");
      refused(await deliver(harness, messages, { token: undefined }), "INVALID_TOKEN");
    },
  },
  {
    id: "federation.blocked",
    title: "a blocked server's deliveries are refused from its next request on",
    source: "openapi: deliverTransaction; errors.yaml: SERVER_BLOCKED",
    requires: ["origin", "admin", "test profile"],
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const messages = [alice.message(bob.address)];
      await federationToken(harness);
      await whileBlocked(harness, async () => {
        refused(await deliver(harness, messages), "SERVER_BLOCKED");
        const body = { origin_server: originOf(harness).domain };
        refused(await harness.call("createFederationChallenge", { body }), "SERVER_BLOCKED");
      });
      success(await deliver(harness, messages), 200);
      await bob.clear();
    },
  },
  {
    id: "federation.reputation",
    title: "a server that has delivered has a reputation",
    source: "openapi: getServerReputation",
    requires: ["origin", "admin"],
    async check(harness) {
      const params = { server_domain: originOf(harness).domain };
      const body = success(await harness.admin("getServerReputation", { params }), 200);
      same(body.federation_status, "active", "federation_status");
    },
  },
];

async function whileBlocked(harness: Harness, work: () => Promise<void>): Promise<void> {
  const server_domain = originOf(harness).domain;
  success(await harness.admin("blockServer", { body: { server_domain, reason: "conformance suite" } }), 200);
  try {
    await work();
  } finally {
    success(await harness.admin("unblockServer", { params: { server_domain } }), 200);
  }
}
