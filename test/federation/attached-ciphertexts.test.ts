import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { routes } from "../../generated/routes.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { createOriginFixture, deliver, type OriginFixture, tokenFor } from "./origin-fixture.js";

// A delivery whose ciphertexts stand as bytes behind its JSON.

const origin = "peer.example";
const { path, attachedBytes } = routes.deliverTransaction;

let fixture: OriginFixture;
let relay: TestRelay;
let token: string;
let recipient: TestDevice;

beforeAll(async () => {
  fixture = await createOriginFixture();
  relay = await startRelay({ ...fixture.config, seeds: { SEED_SERVER_MAX_MESSAGE_SIZE: "2048" } });
  token = await tokenFor(relay, await fixture.origin(origin));
});
beforeEach(async () => {
  recipient = await newDevice(relay);
});
afterAll(async () => {
  await relay.stop();
  await fixture.stop();
});

/** A message whose ciphertext stands behind the JSON. */
function detached(bytes: Buffer, change: object = {}) {
  const { mls_ciphertext: _, ...rest } = message(relay, recipient.address);
  return { ...rest, ciphertext_bytes: bytes.length, ...change };
}

function framed(json: string, attached: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(json));
  return Buffer.concat([length, Buffer.from(json), attached]);
}

async function put(body: Buffer, { id, type = attachedBytes }: { id: string; type?: string }) {
  const answer = await fetch(`${relay.url}${path.replace(":transaction_id", id)}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "x-origin-server": origin, "content-type": type },
    body: new Uint8Array(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

function transaction(messages: readonly object[], id: string): string {
  return JSON.stringify({ origin_server: origin, transaction_id: id, timestamp: 1, messages });
}

async function give(messages: readonly object[], attached: Buffer, id: string = randomUUID()) {
  return put(framed(transaction(messages, id), attached), { id });
}

const queued = async () => demand(await recipient.poll({ limit: 100 })).body.messages;

it("is queued as with base64, in its order, also where messages share a ciphertext", async () => {
  const [one, two] = [randomBytes(700), Buffer.from([0, 255, 0x7b])];
  const { ciphertext_bytes: _, ...sharing } = detached(one);
  const messages = [detached(one), { ...sharing, ciphertext_from: 0 }, detached(two)];
  const answer = await give(messages, Buffer.concat([one, two]));
  expect([answer.status, answer.body["status"]]).toEqual([200, "accepted"]);
  expect((await queued()).map(({ message_id, mls_ciphertext }) => [message_id, mls_ciphertext])).toEqual(
    messages.map(({ message_id }, i) => [message_id, (i === 2 ? two : one).toString("base64")]),
  );
});

it("rejects single messages that name a later ciphertext, their own place, or more than one", async () => {
  const [one, two] = [randomBytes(30), randomBytes(40)];
  const { ciphertext_bytes: _, ...none } = detached(one);
  const inJson = { mls_ciphertext: one.toString("base64") };
  const name = () => ({ ...none, message_id: message(relay, recipient.address).message_id });
  const attached = [
    { ...name(), ciphertext_from: 1 },
    { ...name(), ciphertext_bytes: one.length },
    { ...name(), ciphertext_from: 1 },
    { ...name(), ciphertext_from: 3 },
    { ...name(), ciphertext_bytes: two.length, ciphertext_from: 1 },
    { ...name(), ciphertext_bytes: 0, ...inJson },
  ];
  const plain = [
    { ...name(), ciphertext_from: 1 },
    { ...name(), ...inJson },
    { ...name(), ciphertext_from: 1 },
    { ...name(), ciphertext_from: 3 },
    { ...name(), ...inJson, ciphertext_from: 1 },
    { ...name(), ciphertext_from: 7 },
  ];
  const id = randomUUID();
  for (const [messages, { body }] of [
    [attached, await give(attached, Buffer.concat([one, two]))],
    [plain, await put(Buffer.from(transaction(plain, id)), { id, type: "application/json" })],
  ] as const) {
    expect(body["accepted_messages"]).toEqual([messages[1]?.message_id, messages[2]?.message_id]);
    const rejected = body["rejected_messages"] as { message_id: string; error: string }[];
    expect(rejected.map(({ message_id, error }) => [message_id, error])).toEqual(
      [0, 3, 4, 5].map((i) => [messages[i]?.message_id, "INVALID_REQUEST"]),
    );
  }
});

it("keeps messages apart that share a long ciphertext", async () => {
  const ciphertext = randomBytes(2048);
  const { ciphertext_bytes: _, ...first } = detached(ciphertext);
  const others = Array.from({ length: 20 }, (_, i) => ({
    ...first,
    ...(i % 3 > 0 && { message_id: message(relay, recipient.address).message_id }),
    ...(i % 2 > 0 && { sender_signature: randomBytes(64).toString("hex") }),
    timestamp: first.timestamp - i,
    ciphertext_from: 0,
  }));
  const answer = await give([detached(ciphertext, first), ...others], ciphertext);
  expect([answer.status, answer.body["status"]]).toEqual([200, "accepted"]);
  const kept = [first, ...others].filter(
    ({ message_id }, i, all) => all.findIndex((one) => one.message_id === message_id) === i,
  );
  expect((await queued()).map(({ received_at: _, ...members }) => members)).toMatchObject(
    kept.map(({ message_id, sender_signature, timestamp }) => ({
      ...{ message_id, sender_signature, timestamp },
      mls_ciphertext: ciphertext.toString("base64"),
    })),
  );
});

it("rejects single messages that are empty or too large, and counts their bytes", async () => {
  const [large, good] = [randomBytes(2049), randomBytes(10)];
  const messages = [detached(large), detached(Buffer.alloc(0)), detached(good)];
  const answer = await give(messages, Buffer.concat([large, good]));
  expect(answer.body["accepted_messages"]).toEqual([messages[2]?.message_id]);
  const rejected = answer.body["rejected_messages"] as { error: string }[];
  expect(rejected.map(({ error }) => error)).toEqual(["MESSAGE_TOO_LARGE", "INVALID_REQUEST"]);
});

it("is answered as before when it is sent again, also with other bytes or in the other form", async () => {
  const [bytes, id] = [randomBytes(50), randomUUID()];
  const messages = [detached(bytes)];
  const first = await give(messages, bytes, id);
  expect(await give(messages, bytes, id)).toEqual(first);
  expect(await give(messages, randomBytes(50), id)).toEqual(first);
  const { ciphertext_bytes: _, ...rest } = messages[0] as ReturnType<typeof detached>;
  const sent = [{ ...rest, mls_ciphertext: bytes.toString("base64") }];
  expect(await deliver(relay, { token, origin, messages: sent, transactionId: id })).toMatchObject(first);
  const again = await deliver(relay, { token, origin, messages: sent });
  expect([again.status, (await queued()).length]).toEqual([200, 1]);
});

it("is refused whole where its lengths do not add up, or its JSON is broken or too long", async () => {
  const bytes = randomBytes(20);
  const id = randomUUID();
  const json = transaction([detached(bytes)], id);
  const bodies = [
    framed(json, bytes.subarray(1)),
    framed(json, Buffer.concat([bytes, bytes])),
    framed(json.slice(1), bytes),
    Buffer.from([0, 0, 0]),
    Buffer.from([255, 255, 255, 255, 0x7b, 0x7d]),
    framed(transaction([detached(bytes, { ciphertext_bytes: -1 })], id), bytes),
    framed(transaction([], id), Buffer.alloc(0)),
  ];
  for (const body of bodies) {
    const answer = await put(body, { id });
    expect([answer.status, answer.body["error"]]).toEqual([400, "INVALID_REQUEST"]);
  }
  expect(await queued()).toEqual([]);
});

it("is known by its media type alone, which no other operation takes", async () => {
  const [bytes, id] = [randomBytes(20), randomUUID()];
  const body = framed(transaction([detached(bytes)], id), bytes);
  expect((await put(body, { id, type: "application/json" })).status).toBe(400);
  expect((await put(body, { id, type: "application/octet-stream" })).status).toBe(415);
  const answer = await fetch(`${relay.url}${routes.createFederationChallenge.path}`, {
    method: "POST",
    headers: { "content-type": attachedBytes },
    body: new Uint8Array(framed('{"origin_server":"peer.example"}', Buffer.alloc(0))),
  });
  expect(answer.status).toBe(415);
});
