import { afterAll, beforeAll, expect, test } from "vitest";
import type { SendResultFrame } from "../../generated/frames.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { holdTransaction } from "../support/held-transaction.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream, openStream, type TestStream } from "../support/stream.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
});
afterAll(async () => relay.stop());

async function pair(at = relay): Promise<{ sender: TestDevice; recipient: TestDevice; stream: TestStream }> {
  const [sender, recipient] = [await newDevice(at), await newDevice(at)];
  return { sender, recipient, stream: await openDeviceStream(at.url, sender.token) };
}

async function result(stream: TestStream, frame: unknown): Promise<SendResultFrame> {
  stream.send(frame);
  return stream.next("send_result");
}

async function queued(device: TestDevice): Promise<string[]> {
  return demand(await device.poll({ limit: 1000 })).body.messages.map(({ message_id }) => message_id);
}

test("the first status frame says how many messages may be under way, as discovery does", async () => {
  const device = await newDevice(relay);
  const stream = await openStream(relay.url);
  stream.send({ type: "auth", access_token: device.token });
  expect(await stream.next("status")).toMatchObject({ window: 10, max_sends_in_flight: 64 });
  await stream.close();
  const discovered = await (await fetch(`${relay.url}/.well-known/svc`)).json();
  expect(discovered).toMatchObject({
    capabilities: { stream_sends: true },
    stream: { max_sends_in_flight: 64, max_window: 1000, max_frame_bytes: 13_985_112, max_client_frame_bytes: 65_536 },
  });
});

test("a message that was sent on a stream is stored and delivered as it was sent", async () => {
  const { recipient, stream } = await pair();
  const receiving = await openDeviceStream(relay.url, recipient.token);
  const sent = message(relay, recipient.address, { ciphertext: Buffer.from("secret"), timestamp: 1_700_000_000 });
  expect(await result(stream, { type: "send", message: sent })).toEqual({
    type: "send_result",
    message_id: sent.message_id,
    recipient_address: recipient.address,
    status: "queued",
    delivery_estimate: "immediate",
  });
  const { data } = await receiving.next("message");
  const { recipient_address: _, ...carried } = sent;
  expect(data).toMatchObject(carried);
  await Promise.all([stream.close(), receiving.close()]);
});

test("a system event goes with its message", async () => {
  const { recipient, stream } = await pair();
  const systemEvent = { event: "epoch_change", extension_type: "0xF000" };
  const sent = message(relay, recipient.address, { systemEvent });
  expect(await result(stream, { type: "send", message: sent })).toMatchObject({ status: "queued" });
  const [found] = demand(await recipient.poll()).body.messages;
  expect(found?.system_event).toEqual(systemEvent);
  await stream.close();
});

test("a repetition is answered like the first time and stored once, whether it came by POST or on the stream", async () => {
  const { sender, recipient, stream } = await pair();
  const draft = { messageId: newMessageId(relay.clock.nowMillis(), new Uint8Array(10).fill(1)) };
  const frame = { type: "send", message: message(relay, recipient.address, draft) };
  for (let times = 0; times < 2; times++) {
    expect(await result(stream, frame)).toMatchObject({ message_id: draft.messageId, status: "queued" });
  }
  expect(demand(await sender.send(recipient.address, draft)).body.status).toBe("queued");
  expect(await queued(recipient)).toEqual([draft.messageId]);
  await stream.close();
});

test("many messages may be under way, and each has its result, by its id and recipient", async () => {
  const { stream } = await pair();
  const recipients = [await newDevice(relay), await newDevice(relay)];
  const ids = Array.from({ length: 150 }, (_, i) => newMessageId(relay.clock.nowMillis() + i, new Uint8Array(10)));
  for (const messageId of ids) {
    for (const { address } of recipients)
      stream.send({ type: "send", message: message(relay, address, { messageId }) });
  }
  const results: string[] = [];
  while (results.length < 300) {
    const { message_id, recipient_address, status } = await stream.next("send_result");
    expect(status).toBe("queued");
    results.push(`${message_id} ${recipient_address}`);
  }
  expect(new Set(results).size).toBe(300);
  for (const device of recipients) expect(new Set(await queued(device))).toEqual(new Set(ids));
  await stream.close();
});

test.each([
  ["an id that is no UUIDv7", { message_id: "6f1e3c1a-7c3f-4d21-9b6e-1f0c5a8e4d33" }, "INVALID_REQUEST", 4000],
  ["an address that is none", { recipient_address: "nobody" }, "INVALID_ADDRESS", undefined],
  [
    "an address that nobody holds",
    { recipient_address: "2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52@relay.test" },
    "ADDRESS_NOT_FOUND",
    undefined,
  ],
  ["base64 that is not canonical", { mls_ciphertext: "AAB=" }, "INVALID_REQUEST", 4000],
  ["an empty ciphertext", { mls_ciphertext: "" }, "INVALID_REQUEST", 4000],
  ["a missing signature", { sender_signature: "" }, "INVALID_REQUEST", 4000],
  ["a negative timestamp", { timestamp: -1 }, "INVALID_REQUEST", 4000],
  ["an unknown event", { system_event: { event: "party" } }, "INVALID_REQUEST", 4000],
  ["text that cannot be stored", { message_id: "\0\ud800" }, "INVALID_REQUEST", 4000],
])("%s is rejected with the error that POST answers, and nothing is stored", async (_, member, error, code) => {
  const { recipient, stream } = await pair();
  const sent = { ...message(relay, recipient.address), ...member };
  const rejected = await result(stream, { type: "send", message: sent });
  expect(rejected).toMatchObject({ status: "rejected", error, ...(code !== undefined && { code }) });
  expect(rejected).not.toHaveProperty("delivery_estimate");
  if (code === 4000) expect(rejected.details).toHaveLength(1);
  // It was no frame outside the contract: ten of them do not end the stream.
  for (let times = 0; times < 10; times++) {
    expect(await result(stream, { type: "send", message: sent })).toMatchObject({ status: "rejected" });
  }
  expect(await result(stream, { type: "send", message: message(relay, recipient.address) })).toMatchObject({
    status: "queued",
  });
  expect(await queued(recipient)).toHaveLength(1);
  await stream.close();
});

test.each([
  ["no message", { type: "send" }],
  ["a message that is text", { type: "send", message: "hello" }],
  ["a message without an id", { type: "send", message: { recipient_address: "a", mls_ciphertext: "AAAA" } }],
  ["a member of the wrong type", { type: "send", message: { message_id: 7 } }],
  ["a member of a later version", { type: "send", priority: 1, message: {} }],
])("a send frame with %s is outside the contract", async (_, frame) => {
  const { recipient, stream } = await pair();
  stream.send(frame);
  expect(await stream.next("error")).toMatchObject({ error: "INVALID_REQUEST", details: [expect.anything()] });
  const sent = message(relay, recipient.address);
  stream.send({ type: "send", message: { ...sent, colour: "red" } });
  expect(await stream.next("error")).toMatchObject({ error: "INVALID_REQUEST" });
  expect(await queued(recipient)).toEqual([]);
  await stream.close();
});

test("a message that does not fit into a frame ends the stream with 1009, and goes by POST", async () => {
  const { sender, recipient, stream } = await pair();
  const draft = { ciphertext: new Uint8Array(64 * 1024) };
  stream.send({ type: "send", message: message(relay, recipient.address, draft) });
  expect(await stream.closed).toMatchObject({ code: 1009 });
  demand(await sender.send(recipient.address, draft));
  expect(await queued(recipient)).toHaveLength(1);
});

test("nothing can be sent before the stream has authenticated", async () => {
  const recipient = await newDevice(relay);
  const stream = await openStream(relay.url);
  stream.send({ type: "send", message: message(relay, recipient.address) });
  expect(await stream.next("error")).toMatchObject({ error: "INVALID_TOKEN" });
  expect(await stream.closed).toMatchObject({ code: 4008 });
  expect(await queued(recipient)).toEqual([]);
});

test("messages on the stream and by POST count against one limit, which the rejection names", async () => {
  const strict = await startRelay({ seeds: { SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "3" } });
  try {
    const { sender, recipient, stream } = await pair(strict);
    demand(await sender.send(recipient.address));
    for (let times = 0; times < 2; times++) {
      expect(await result(stream, { type: "send", message: message(strict, recipient.address) })).toMatchObject({
        status: "queued",
      });
    }
    const byPost = await sender.send(recipient.address);
    expect(byPost.status).toBe(429);
    const { error, code, limit, reset_at } = byPost.body as unknown as Record<string, unknown>;
    const rejected = await result(stream, { type: "send", message: message(strict, recipient.address) });
    expect(rejected).toMatchObject({
      status: "rejected",
      error,
      code,
      limit,
      reset_at,
      retry_after: expect.any(Number),
    });
    expect(await queued(recipient)).toHaveLength(3);
    await stream.close();
  } finally {
    await strict.stop();
  }
});

test("a message for another domain is rejected where the relay does not federate", async () => {
  const alone = await startRelay({ seeds: { SEED_FEDERATION_ENABLED: "false" } });
  try {
    const { stream } = await pair(alone);
    const elsewhere = "2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52@elsewhere.example";
    const rejected = await result(stream, { type: "send", message: message(alone, elsewhere) });
    expect(rejected).toMatchObject({ status: "rejected", error: "FEDERATION_DISABLED" });
    await stream.close();
  } finally {
    await alone.stop();
  }
});

test("while as many are under way as may be, further frames wait, and none is lost", async () => {
  const narrow = await startRelay({ streamSendsInFlight: 2, seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  try {
    const { recipient, stream } = await pair(narrow);
    const db = createDatabase({ url: narrow.databaseUrl, poolSize: 1 });
    const transaction = await holdTransaction(db);
    await transaction.run("lock table messages in share mode");
    const ids: string[] = [];
    for (let sent = 0; sent < 5; sent++) {
      const { message_id } = message(narrow, recipient.address);
      ids.push(message_id);
      stream.send({ type: "send", message: message(narrow, recipient.address, { messageId: message_id }) });
    }
    stream.send({ type: "ping", timestamp: 1 });
    await stream.none("send_result");
    await transaction.rollback();
    await db.close();
    const results: string[] = [];
    while (results.length < 5) results.push((await stream.next("send_result")).message_id);
    expect(new Set(results)).toEqual(new Set(ids));
    expect(await queued(recipient)).toEqual(ids);
    await stream.close();
  } finally {
    await narrow.stop();
  }
});

test("messages that are under way when their stream is gone are stored or not, and kept once when sent again", async () => {
  const { sender, recipient, stream } = await pair();
  const ids: string[] = [];
  for (let sent = 0; sent < 40; sent++) {
    const body = message(relay, recipient.address);
    ids.push(body.message_id);
    stream.send({ type: "send", message: body });
  }
  const [first] = [await stream.next("send_result")];
  stream.socket.terminate();
  await stream.closed;
  const known = stream.all("send_result").map(({ message_id }) => message_id);
  expect(await queued(recipient)).toEqual(expect.arrayContaining([...known, first.message_id]));
  for (const messageId of ids) demand(await sender.send(recipient.address, { messageId }));
  const found = await queued(recipient);
  expect(found).toHaveLength(40);
  expect(new Set(found)).toEqual(new Set(ids));
});

test("a relay that stops answers what is under way before it ends the stream", async () => {
  const stopping = await startRelay({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  const { recipient, stream } = await pair(stopping);
  expect(await stream.next("status")).toMatchObject({ queue_empty: true });
  const db = createDatabase({ url: stopping.databaseUrl, poolSize: 1 });
  const transaction = await holdTransaction(db);
  await transaction.run("lock table messages in share mode");
  const sent = message(stopping, recipient.address);
  stream.send({ type: "send", message: sent });
  stream.send({ type: "ping", timestamp: 1 });
  await stream.next("status");
  const stopped = stopping.stop();
  expect(await stream.next("status")).toMatchObject({ status: "reconnecting" });
  await transaction.rollback();
  await db.close();
  expect(await stream.next("send_result")).toMatchObject({ message_id: sent.message_id, status: "queued" });
  expect(await stream.closed).toMatchObject({ code: 1012 });
  await stopped;
});

test("a database that cannot be reached rejects the message with an error that says when to try again", async () => {
  const { recipient, stream } = await pair();
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await db.run("alter table messages rename to messages_away");
  const sent = message(relay, recipient.address);
  const rejected = await result(stream, { type: "send", message: sent });
  expect(rejected).toMatchObject({ status: "rejected", retry_after: expect.any(Number) });
  expect(["INTERNAL", "DATABASE_UNAVAILABLE"]).toContain(rejected.error);
  await db.run("alter table messages_away rename to messages");
  await db.close();
  expect(await result(stream, { type: "send", message: sent })).toMatchObject({ status: "queued" });
  expect(await queued(recipient)).toEqual([sent.message_id]);
  await stream.close();
});
