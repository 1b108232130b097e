import { CompactSign, importPKCS8 } from "jose";
import { hourSeconds, minuteSeconds } from "../../protocol/units.js";
import { hold, NotChecked, same } from "../harness/assertions.js";
import { derOf } from "../harness/origin.js";
import { deliveryRules } from "../peer/rules.js";
import { admin } from "./administration.js";
import { newUuid } from "./device.js";
import { pair, plain } from "./messages.js";
import {
  type Answer,
  count,
  expectBody,
  expectRefusal,
  type Form,
  flag,
  fraction,
  list,
  type Members,
  optionally,
  text,
  whole,
  within,
} from "./server.js";
import type { SpecificationContext, SpecificationRule } from "./types.js";

const section = "Federation";
const receipt = { status: text, accepted_messages: list, rejected_messages: list, timestamp: whole };

/** Rules about what the server answers to other servers, and about what it delivers to them. */
export const federationRules: readonly SpecificationRule[] = [
  {
    id: "federation.delivery",
    title: "a message that another server delivers is queued, and one to nobody is rejected separately (partial)",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const nobody = `${newUuid(context.server)}@${context.server.domain}`;
      const messages = [alice.message(bob.address), alice.message(nobody)];
      const answer = await deliver(context, messages);
      const { accepted_messages } = expectBody<{ accepted_messages: string[] }>(answer, 200, {
        ...receipt,
        status: "partial",
      });
      same(accepted_messages.map(plain), [plain(messages[0]?.message_id ?? "")], "accepted_messages");
      same(
        (await bob.queue()).map((one) => plain(one.message_id)),
        accepted_messages.map(plain),
        "the queue",
      );
    },
  },
  {
    id: "federation.malformed-message",
    title: "a malformed message is rejected separately, and the others are accepted",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const messages = [alice.message(bob.address), alice.message(bob.address, { mls_ciphertext: "" })];
      const answer = await deliver(context, messages);
      const { accepted_messages } = expectBody<{ accepted_messages: string[] }>(answer, 200, {
        ...receipt,
        status: "partial",
      });
      same(accepted_messages.map(plain), [plain(messages[0]?.message_id ?? "")], "accepted_messages");
      same((await bob.queue()).length, 1, "messages in the queue");
    },
  },
  {
    id: "federation.rejected",
    title: "a delivery of which no message can be queued is rejected, with each message named",
    section,
    async check(context) {
      const alice = await context.alice();
      const messages = [1, 2].map(() => alice.message(`${newUuid(context.server)}@${context.server.domain}`));
      const form = { ...receipt, status: "rejected" };
      const { accepted_messages, rejected_messages } = expectBody<Record<string, unknown[]>>(
        await deliver(context, messages),
        200,
        form,
      );
      same([accepted_messages?.length, rejected_messages?.length], [0, 2], "accepted and rejected messages");
    },
  },
  {
    id: "federation.certificate",
    title: "a server whose certificate is for another domain is not authenticated",
    section,
    async check(context) {
      context.origin();
      await tokenOf(context);
      const { answer } = await authenticationOf(context, "conformance.example");
      expectRefusal(answer, { code: 4001 });
    },
  },
  {
    id: "federation.blocked",
    title: "a blocked server is refused with 403, until it is unblocked",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const { domain: server_domain } = context.origin();
      const messages = [alice.message(bob.address)];
      await tokenOf(context);
      expectBody(
        await admin(context, "POST", "/federation/block", { server_domain, reason: "conformance suite" }),
        200,
      );
      try {
        await untilAnswered(403, () => deliver(context, messages));
      } finally {
        expectBody(await admin(context, "DELETE", `/federation/block/${server_domain}`), 200);
        // The server may have ended the session.
        tokens.delete(context);
      }
      await untilAnswered(200, () => deliver(context, messages));
    },
  },
  {
    id: "federation.disabled",
    title: "a server with federation off answers federation auth with FEDERATION_DISABLED (5003)",
    section,
    async check(context) {
      context.mayDisturb();
      await tokenOf(context);
      const set = async (enabled: boolean) =>
        expectBody(await admin(context, "PATCH", "/config", { federation: { enabled } }), 200);
      await set(false);
      try {
        const answer = await untilAnswered(undefined, async () => {
          const { domain, cert } = context.origin();
          const body = { origin_server: domain, server_certificate: derOf(cert), challenge_response: "a.b.c" };
          return context.server.call("POST", "/federation/v1/auth", { body });
        });
        same([answer.body["error"], answer.body["code"]], ["FEDERATION_DISABLED", 5003], "the error");
      } finally {
        await set(true);
      }
    },
  },
  {
    id: "federation.reputation",
    title: "a server that has delivered messages has a reputation between 0 and 1",
    section: "Server reputation",
    async check(context) {
      const { domain } = context.origin();
      await tokenOf(context);
      // Servers of one host may share their reputation.
      const server_domain = (value: unknown) => value === domain || value === domain.split(":")[0];
      const metrics = {
        ...{ messages_delivered: count, messages_rejected: count, spam_reports_received: count },
        ...{ uptime_percentage: optionally(count), average_response_time_ms: optionally(count) },
        certificate_valid: (value: unknown) => value === null || flag(value),
      };
      const form = {
        ...{ server_domain, reputation_score: fraction, metrics, federation_status: /^(active|limited|blocked)$/ },
        ...{ federated_blocklist_count: count, first_contact: whole, last_activity: whole },
      };
      expectBody(await admin(context, "GET", `/federation/reputation/${domain}`), 200, form);
    },
  },
  {
    id: "federation.policy",
    title: "a policy is set, and the answer has it",
    section: "Federation policy",
    async check(context) {
      context.mayDisturb();
      const { federation } = expectBody<{ federation: Members }>(await admin(context, "GET", "/config"), 200);
      const policy = {
        allowlist_mode: federation["allowlist_mode"],
        allowlist: [],
        auto_block_threshold: federation["auto_block_threshold"],
        require_certificate_validation: federation["certificate_validation"],
        publish_blocklist: federation["publish_blocklist"],
      };
      const form = { policy_updated_at: whole, updated_by: text, current_policy: flagsOf(policy) };
      expectBody(await admin(context, "PUT", "/federation/policy", policy), 200, form);
    },
  },
  {
    id: "federation.repetition",
    title: "a repeated transaction gets the first answer and stores nothing",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const transactionId = newUuid(context.server);
      const messages = [alice.message(bob.address)];
      const first = expectBody(await deliver(context, messages, { transactionId }), 200, {
        ...receipt,
        status: "accepted",
      });
      await bob.clear();
      same(expectBody(await deliver(context, messages, { transactionId }), 200), first, "the second answer");
      same((await bob.queue()).length, 0, "messages in the queue");
    },
  },
  {
    id: "federation.consistency",
    title: "a delivery whose header or path contradicts its body is refused",
    section,
    async check(context) {
      const [alice, bob] = await pair(context);
      const messages = [alice.message(bob.address)];
      expectRefusal(await deliver(context, messages, { header: "other.example" }));
      expectRefusal(await deliver(context, messages, { path: newUuid(context.server) }));
      expectRefusal(await deliver(context, messages, { token: "nonsense" }));
      same((await bob.queue()).length, 0, "messages in the queue");
    },
  },
  ...deliveryRules
    .filter(({ id }) => id !== "delivery.answer")
    .map(({ id, title, check }) => ({
      ...{ id, title, section },
      check: async (context: SpecificationContext) => {
        const peer = await context.peer();
        await check({ peer, domain: context.server.domain, send: () => sendTo(context, peer.domain) });
      },
    })),
];

async function sendTo(context: SpecificationContext, domain: string): Promise<string> {
  const alice = await context.alice();
  const answer = await alice.send(`${newUuid(context.server)}@${domain}`);
  return expectBody<{ message_id: string }>(answer, 202, { status: "federated" }).message_id;
}

async function deliver(
  context: SpecificationContext,
  messages: readonly Members[],
  given: { transactionId?: string; header?: string; path?: string; token?: string } = {},
) {
  const { domain } = context.origin();
  const transaction_id = given.transactionId ?? newUuid(context.server);
  const body = { origin_server: domain, transaction_id, timestamp: context.server.nowSeconds(), messages };
  return context.server.call("PUT", `/federation/v1/deliver/${given.path ?? transaction_id}`, {
    token: given.token ?? (await tokenOf(context)),
    headers: { "x-origin-server": given.header ?? domain },
    body,
  });
}

const tokens = new WeakMap<SpecificationContext, Promise<string>>();

/** The members of a policy as a form: the list of domains has none. */
function flagsOf({ allowlist: _, ...policy }: Members): Form {
  return { ...policy, allowlist: list } as Form;
}

/** Nodes may learn of a block or a setting a moment later. `undefined` waits for any refusal that names FEDERATION_DISABLED. */
async function untilAnswered(status: number | undefined, ask: () => Promise<Answer>): Promise<Answer> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const answer = await ask();
    const isMeant = status === undefined ? answer.body["code"] === 5003 : answer.status === status;
    if (isMeant) return answer;
    hold(
      performance.now() < deadline,
      `expected ${status ?? "FEDERATION_DISABLED"}, got ${answer.status} ${answer.text}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** A federation token, the same for all rules. */
function tokenOf(context: SpecificationContext): Promise<string> {
  const known = tokens.get(context) ?? authenticate(context);
  tokens.set(context, known);
  return known;
}

/**
 * The specification does not say how the nonce reaches the caller, nor what it signs. Where neither the challenge of this
 * contract nor a GET gives a nonce, or the JWS is refused, nothing can be said about deliveries.
 */
async function authenticate(context: SpecificationContext): Promise<string> {
  const { answer } = await authenticationOf(context, context.origin().domain);
  if (answer.status >= 400)
    throw new NotChecked(`the server refuses this form of authentication: ${answer.text.slice(0, 200)}`);
  const rate_limits = { messages_per_minute: whole, transactions_per_minute: whole };
  const expires_at = within(context.server, hourSeconds, 10 * minuteSeconds);
  const form = { federation_token: text, expires_at, rate_limits };
  return expectBody<{ federation_token: string }>(answer, 200, form).federation_token;
}

/** How the server answers the suite's certificate in the name of a domain. */
async function authenticationOf(context: SpecificationContext, domain: string): Promise<{ answer: Answer }> {
  const { cert, key } = context.origin();
  const nonce = await nonceFor(context, domain);
  const claims = JSON.stringify({ nonce, origin_server: domain, aud: context.server.domain });
  const challenge_response = await new CompactSign(Buffer.from(claims))
    .setProtectedHeader({ alg: "ES256", typ: "svc-federation-answer+jwt" })
    .sign(await importPKCS8(key, "ES256"));
  const body = { origin_server: domain, server_certificate: derOf(cert), challenge_response };
  return { answer: await context.server.call("POST", "/federation/v1/auth", { body }) };
}

async function nonceFor({ server }: SpecificationContext, domain: string): Promise<string> {
  const path = "/federation/v1/challenge";
  const asked = [
    await server.call("POST", path, { body: { origin_server: domain } }),
    await server.call("GET", `${path}?origin_server=${encodeURIComponent(domain)}`),
  ];
  for (const { body } of asked) {
    const nonce = body["nonce"] ?? body["challenge"];
    if (typeof nonce === "string") return nonce;
  }
  hold(
    asked.every(({ status }) => status < 500),
    "the server failed when it was asked for a nonce",
  );
  throw new NotChecked("the server gives no nonce where the suite asks for one");
}
