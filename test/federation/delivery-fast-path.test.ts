import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type Sending } from "../support/api.js";
import { message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { createOriginFixture, type OriginFixture, tokenFor } from "./origin-fixture.js";

// A request that spells its media type in full takes the long way, through Express and the validator.
const slowPath = { "content-type": "application/json; charset=utf-8" };
const peer = "peer.example";

let fixture: OriginFixture;
let relay: TestRelay;
let recipient: TestDevice;
let token: string;

beforeAll(async () => {
  fixture = await createOriginFixture();
  relay = await startRelay(fixture.config);
  recipient = await newDevice(relay);
  token = await tokenFor(relay, await fixture.origin(peer));
});
afterAll(async () => {
  await relay.stop();
  await fixture.stop();
});

type Parts = Required<Pick<Sending, "headers" | "params" | "token">> & { body: Record<string, unknown> };

/** Deliveries right and wrong, as changes of a good one. */
const deliveries: Record<string, (good: Parts) => Partial<Parts>> = {
  "a good one": () => ({}),
  "one of nothing": ({ body }) => ({ body: { ...body, messages: [] } }),
  "an id in capitals": ({ body, params }) => ({
    params: { transaction_id: String(params["transaction_id"]).toUpperCase() },
    body,
  }),
  "an id that is none": () => ({ params: { transaction_id: "nonsense" } }),
  "an id with escapes": ({ params }) => ({ params: { transaction_id: `${params["transaction_id"]}%` } }),
  "no id": () => ({ params: { transaction_id: "" } }),
  "two dots": () => ({ params: { transaction_id: ".." } }),
  "another id than in the body": () => ({ params: { transaction_id: randomUUID() } }),
  "no header of its origin": () => ({ headers: {} }),
  "an empty header of its origin": () => ({ headers: { "x-origin-server": "" } }),
  "a header too long": () => ({ headers: { "x-origin-server": "a".repeat(260) } }),
  "a header of another server": () => ({ headers: { "x-origin-server": "other.example" } }),
  "members that are new": ({ body }) => ({ body: { ...body, novelty: 1 } }),
  "a missing member": ({ body: { timestamp: _, ...body } }) => ({ body }),
  "a wrong type": ({ body }) => ({ body: { ...body, messages: "all of them" } }),
  "a message that is none": ({ body }) => ({ body: { ...body, messages: [{ message_id: 1 }] } }),
  "a message with a wrong tag": ({ body }) => ({
    body: { ...body, messages: [{ ...message(relay, recipient.address), dedup_tag: "short" }] },
  }),
  "an unknown recipient": ({ body }) => ({
    body: { ...body, messages: [message(relay, `${randomUUID()}@relay.test`)] },
  }),
  "a token that is none": () => ({ token: "nonsense" }),
  "a token of a device": () => ({ token: recipient.token }),
};

describe("a delivery on the fast path and one on the slow path", () => {
  it.each(Object.entries(deliveries))("get the same answer: %s", async (_, change) => {
    const [fast, slow] = await Promise.all([delivered(change, {}), delivered(change, slowPath)]);
    expect(fast).toEqual(slow);
  });
});

async function delivered(change: (good: Parts) => Partial<Parts>, headers: Record<string, string>) {
  const id = randomUUID();
  const messages = [message(relay, recipient.address)];
  const good: Parts = {
    token,
    params: { transaction_id: id },
    headers: { "x-origin-server": peer },
    body: { origin_server: peer, transaction_id: id, timestamp: relay.clock.nowSeconds(), messages },
  };
  const sent = { ...good, ...change(good) };
  const answer = await call(relay, "deliverTransaction", { ...sent, headers: { ...sent.headers, ...headers } });
  const text = JSON.stringify(answer.body)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "an id")
    .replaceAll(/"timestamp":\d+/g, '"timestamp":0');
  return { status: answer.status, body: text, headers: namesOf(answer.headers) };
}

function namesOf(headers: Headers): string[] {
  return [...headers.keys()].filter((name) => !["content-length", "date", "x-request-id"].includes(name)).sort();
}
