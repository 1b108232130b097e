import { CompactSign, importPKCS8 } from "jose";
import { hold, NotChecked, same } from "../harness/assertions.js";
import { derOf } from "../harness/origin.js";
import { deliveryRules } from "../peer/rules.js";
import { newUuid } from "./device.js";
import { pair, plain } from "./messages.js";
import { expectBody, expectRefusal, list, type Members, text, whole } from "./server.js";
import type { SpecificationContext, SpecificationRule } from "./types.js";

const section = "Federation";
const receipt = { status: text, accepted_messages: list, rejected_messages: list, timestamp: whole };

/** Rules about what the server answers to other servers, and about what it delivers to them. */
export const federationRules: readonly SpecificationRule[] = [
  {
    id: "federation.delivery",
    title: "a message that another server delivers is queued, and one to nobody is rejected for itself (partial)",
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
    title: "a delivery whose header or path says something else than its body is refused",
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
  const { domain, cert, key } = context.origin();
  const nonce = await nonceFor(context, domain);
  const claims = JSON.stringify({ nonce, origin_server: domain, aud: context.server.domain });
  const challenge_response = await new CompactSign(Buffer.from(claims))
    .setProtectedHeader({ alg: "ES256", typ: "svc-federation-answer+jwt" })
    .sign(await importPKCS8(key, "ES256"));
  const body = { origin_server: domain, server_certificate: derOf(cert), challenge_response };
  const answer = await context.server.call("POST", "/federation/v1/auth", { body });
  if (answer.status >= 400)
    throw new NotChecked(`the server refuses this form of authentication: ${answer.text.slice(0, 200)}`);
  const rate_limits = { messages_per_minute: whole, transactions_per_minute: whole };
  const form = { federation_token: text, expires_at: whole, rate_limits };
  return expectBody<{ federation_token: string }>(answer, 200, form).federation_token;
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
