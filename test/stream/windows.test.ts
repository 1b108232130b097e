import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openStream, type TestStream } from "../support/stream.js";

let relay: TestRelay;
let sender: TestDevice;
beforeAll(async () => {
  relay = await startRelay({ streamWindowLimit: 200, seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  sender = await newDevice(relay);
});
afterAll(async () => relay.stop());

async function fill(device: TestDevice, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const messages = Array.from({ length: Math.min(100, count - ids.length) }, () => message(relay, device.address));
    demand(await call(relay, "sendMessageBatch", { token: sender.token, body: { messages } }));
    ids.push(...messages.map(({ message_id }) => message_id));
  }
  return ids;
}

async function open(device: TestDevice, wanted: object): Promise<TestStream> {
  const stream = await openStream(relay.url);
  stream.send({ type: "auth", access_token: device.token, ...wanted });
  return stream;
}

async function receive(stream: TestStream, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await stream.next("message")).data.message_id);
  return ids;
}

test("a client may ask for a larger window and is told what it was granted", async () => {
  const device = await newDevice(relay);
  const ids = await fill(device, 120);
  const stream = await open(device, { window: 110 });
  expect(await stream.next("status")).toMatchObject({ window: 110 });
  expect(await receive(stream, 110)).toEqual(ids.slice(0, 110));
  await stream.none("message");
  stream.send({ type: "ack_batch", message_ids: ids.slice(0, 5) });
  expect(await receive(stream, 5)).toEqual(ids.slice(110, 115));
  await stream.close();
});

test("no more is granted than the server allows, and a window outside the contract is not taken", async () => {
  const device = await newDevice(relay);
  const stream = await open(device, { window: 1000 });
  expect(await stream.next("status")).toMatchObject({ window: 200 });
  for (const window of [0, 1001, 1.5, "10"]) {
    stream.send({ type: "auth", access_token: device.token, window });
    expect(await stream.next("error")).toMatchObject({ error: "INVALID_REQUEST" });
  }
  await stream.close();
});

test("a later auth frame changes the window, and one that names none leaves it", async () => {
  const device = await newDevice(relay);
  const ids = await fill(device, 40);
  const stream = await open(device, {});
  expect(await receive(stream, 10)).toEqual(ids.slice(0, 10));
  stream.send({ type: "auth", access_token: device.token, window: 30 });
  expect(await stream.next("status")).toMatchObject({ window: 30 });
  expect(await receive(stream, 20)).toEqual(ids.slice(10, 30));
  stream.send({ type: "auth", access_token: device.token });
  expect(await stream.next("status")).toMatchObject({ window: 30 });
  await stream.none("message");
  await stream.close();
});

test.each([1, 10, 200])("a queue of 450 is emptied with a window of %i, in order and each once", async (window) => {
  const device = await newDevice(relay);
  const ids = await fill(device, 450);
  const stream = await open(device, { window });
  const received: string[] = [];
  while (received.length < ids.length) {
    const some = await receive(stream, Math.min(window, ids.length - received.length));
    received.push(...some);
    stream.send({ type: "ack_batch", message_ids: some });
  }
  expect(received).toEqual(ids);
  for (let confirmed = 0; confirmed < ids.length; ) {
    confirmed = stream.all("ack_batch_confirmed").reduce((sum, frame) => sum + frame.acknowledged_count, 0);
    if (confirmed < ids.length) await stream.next("ack_batch_confirmed");
  }
  expect(await stream.next("status")).toMatchObject({ queue_empty: true });
  expect(demand(await device.poll()).body.messages).toEqual([]);
  await stream.close();
});

test("a message larger than the client takes is announced in its place, and read by a poll", async () => {
  const device = await newDevice(relay);
  const small = demand(await sender.send(device.address)).body.message_id;
  const ciphertext = Buffer.alloc(100_000, 7);
  const large = demand(await sender.send(device.address, { ciphertext })).body.message_id;
  const last = demand(await sender.send(device.address)).body.message_id;
  const stream = await open(device, { max_frame_bytes: 65_536 });
  await stream.next("status");
  expect(await receive(stream, 1)).toEqual([small]);
  const { large_message: announced } = await stream.next("status");
  expect(announced).toMatchObject({ message_id: large });
  expect(await receive(stream, 1)).toEqual([last]);
  expect(stream.all("message").map(({ data }) => data.message_id)).toEqual([small, last]);
  const polled = demand(await device.poll()).body.messages.find(({ message_id }) => message_id === large);
  expect(Buffer.from(polled?.mls_ciphertext ?? "", "base64").equals(ciphertext)).toBe(true);
  stream.send({ type: "ack_batch", message_ids: [small, large, last] });
  expect(await stream.next("ack_batch_confirmed")).toMatchObject({ acknowledged_count: 3 });
  expect(await stream.next("status")).toMatchObject({ queue_empty: true });
  await stream.close();
});

test("the announced size is that of the frame, and a client that takes it gets the message", async () => {
  const device = await newDevice(relay);
  demand(
    await sender.send(device.address, {
      ciphertext: Buffer.alloc(50_001, 7),
      systemEvent: { event: "member_added", extension_type: "permissions" },
    }),
  );
  const cautious = await open(device, { max_frame_bytes: 4096 });
  await cautious.next("status");
  const { large_message: announced } = await cautious.next("status");
  await cautious.close();
  const bytes = announced?.frame_bytes ?? 0;
  const almost = await open(device, { max_frame_bytes: bytes - 1 });
  await almost.next("status");
  expect(await almost.next("status")).toMatchObject({ large_message: announced });
  await almost.close();
  const exact = await open(device, { max_frame_bytes: bytes });
  const frame = await exact.next("system");
  expect(JSON.stringify(frame)).toHaveLength(bytes);
  await exact.close();
});
