import type { Ground } from "../ground.js";
import { deliver, federationToken, originOf, proofOf } from "../origin.js";
import { hold, type Rule, refused, same, success } from "../rule.js";

export const federationRules: readonly Rule[] = [
  {
    id: "federation.challenge",
    title: "a nonce is 32 random bytes for five minutes; what is no domain gets none",
    source: "openapi: createFederationChallenge; errors.yaml: INVALID_ADDRESS",
    async check(ground) {
      const ask = (origin_server: string) => ground.call("createFederationChallenge", { body: { origin_server } });
      const first = await ask("conformance.invalid");
      if (first.status === 403 || first.status === 503) return refused(first, "SERVER_BLOCKED", "FEDERATION_DISABLED");
      const { nonce, expires_at } = success(first, 200);
      hold(success(await ask("conformance.invalid"), 200).nonce !== nonce, "the same nonce came twice");
      const left = expires_at - (await ground.now());
      hold(left > 200 && left <= 310, `it expires in ${left} seconds`);
      refused(await ask("10.0.0.1"), "INVALID_ADDRESS");
    },
  },
  {
    id: "federation.newer-peer",
    title: "members of a newer peer are passed over",
    source: "openapi: requests between relays are open",
    async check(ground) {
      const body = { origin_server: "conformance.invalid", of_later: true };
      const answer = await ground.call("createFederationChallenge", { body });
      hold(answer.status !== 400, "they are refused");
    },
  },
  {
    id: "federation.authentication",
    title: "a server with a certificate of its domain gets a token and its limits; a nonce is good once",
    source: "openapi: authenticateServer; errors.yaml: INVALID_CERTIFICATE",
    needs: ["origin"],
    async check(ground) {
      const body = await proofOf(ground);
      const { rate_limits, expires_at } = success(await ground.call("authenticateServer", { body }), 200);
      hold(rate_limits.messages_per_minute > 0, "it may deliver nothing");
      hold(expires_at > (await ground.now()) + 300, "the token expires within five minutes");
      refused(await ground.call("authenticateServer", { body }), "INVALID_CERTIFICATE");
    },
  },
  {
    id: "federation.impostor",
    title: "an answer for another server, a nonce of nobody and a certificate of another domain are refused",
    source: "openapi: authenticateServer; errors.yaml: INVALID_CERTIFICATE",
    needs: ["origin"],
    async check(ground) {
      const elsewhere = await proofOf(ground, { audience: "elsewhere.example" });
      refused(await ground.call("authenticateServer", { body: elsewhere }), "INVALID_CERTIFICATE");
      const invented = await proofOf(ground, { nonce: "ab".repeat(32) });
      refused(await ground.call("authenticateServer", { body: invented }), "INVALID_CERTIFICATE");
      const other = { ...(await proofOf(ground)), origin_server: "other.example" };
      refused(await ground.call("authenticateServer", { body: other }), "INVALID_CERTIFICATE");
    },
  },
  {
    id: "federation.delivery",
    title: "delivered messages are queued, and each that cannot be is rejected for itself",
    source: "openapi: deliverTransaction",
    needs: ["origin"],
    async check(ground) {
      const [alice, bob] = [await ground.alice(), await ground.bob()];
      await bob.clear();
      const good = alice.message(bob.address);
      const bad = alice.message(`${ground.random.uuid()}@${ground.domain}`);
      const body = success(await deliver(ground, [good, bad]), 200);
      same(body.status, "partial", "status");
      same(body.accepted_messages, [good["message_id"]], "accepted_messages");
      const rejected = body.rejected_messages.map(({ message_id, error }) => [message_id, error]);
      same(rejected, [[bad["message_id"], "ADDRESS_NOT_FOUND"]], "rejected_messages");
      same(await bob.queue(), [good["message_id"]], "the queue");
      await bob.clear();
    },
  },
  {
    id: "federation.repetition",
    title:
      "a repeated transaction is answered like the first time and delivers nothing; with another body it is CONFLICT",
    source: "openapi: deliverTransaction; errors.yaml: CONFLICT",
    needs: ["origin"],
    async check(ground) {
      const [alice, bob] = [await ground.alice(), await ground.bob()];
      await bob.clear();
      const transactionId = ground.random.uuid();
      const message = alice.message(bob.address);
      const body = { timestamp: await ground.now() };
      const send = (messages: unknown[]) => deliver(ground, messages, { transactionId, body });
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
    needs: ["origin"],
    async check(ground) {
      const [alice, bob] = [await ground.alice(), await ground.bob()];
      const messages = [alice.message(bob.address)];
      refused(await deliver(ground, messages, { pathId: ground.random.uuid() }), "INVALID_REQUEST");
      const header = await deliver(ground, messages, { header: "other.example" });
      refused(header, "INVALID_REQUEST", "INVALID_TOKEN");
      const body = { origin_server: "other.example" };
      refused(await deliver(ground, messages, { header: "other.example", body }), "INVALID_TOKEN");
      refused(await deliver(ground, messages, { token: undefined }), "INVALID_TOKEN");
    },
  },
  {
    id: "federation.blocked",
    title: "a blocked server's deliveries are refused from its next request on",
    source: "openapi: deliverTransaction; errors.yaml: SERVER_BLOCKED",
    needs: ["origin", "admin", "test profile"],
    async check(ground) {
      const [alice, bob] = [await ground.alice(), await ground.bob()];
      const messages = [alice.message(bob.address)];
      await federationToken(ground);
      await whileBlocked(ground, async () => {
        refused(await deliver(ground, messages), "SERVER_BLOCKED");
        const body = { origin_server: originOf(ground).domain };
        refused(await ground.call("createFederationChallenge", { body }), "SERVER_BLOCKED");
      });
      success(await deliver(ground, messages), 200);
      await bob.clear();
    },
  },
  {
    id: "federation.reputation",
    title: "a server that has delivered has a reputation",
    source: "openapi: getServerReputation",
    needs: ["origin", "admin"],
    async check(ground) {
      const params = { server_domain: originOf(ground).domain };
      const body = success(await ground.admin("getServerReputation", { params }), 200);
      same(body.federation_status, "active", "federation_status");
    },
  },
];

async function whileBlocked(ground: Ground, work: () => Promise<void>): Promise<void> {
  const server_domain = originOf(ground).domain;
  success(await ground.admin("blockServer", { body: { server_domain, reason: "conformance suite" } }), 200);
  try {
    await work();
  } finally {
    success(await ground.admin("unblockServer", { params: { server_domain } }), 200);
  }
}
