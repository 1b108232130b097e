import { afterAll, beforeAll, expect, test } from "vitest";
import { newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream, openStream, type TestStream } from "../support/stream.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(async () => relay.stop());

const messageId = "019370a2-7c3f-7d21-9b6e-1f0c5a8e4d33";

const outside: [string, (stream: TestStream) => void][] = [
  ["a binary frame", (stream) => stream.sendRaw(Buffer.from('{"type":"ping","timestamp":1}'), true)],
  ["a frame that is no JSON", (stream) => stream.sendRaw("{ping}")],
  ["an empty frame", (stream) => stream.sendRaw("")],
  ["JSON that is no object", (stream) => stream.send([1, 2])],
  [
    "JSON nested too deep",
    (stream) => stream.sendRaw(`{"type":"ping","timestamp":${"[".repeat(20_000)}${"]".repeat(20_000)}}`),
  ],
  ["an unknown type", (stream) => stream.send({ type: "subscribe" })],
  [
    "a frame of the server",
    (stream) => stream.send({ type: "ack_confirmed", message_id: messageId, acknowledged: true }),
  ],
  ["an unknown member", (stream) => stream.send({ type: "ack", message_id: messageId, colour: "red" })],
  ["a missing member", (stream) => stream.send({ type: "ping" })],
  ["a member of the wrong type", (stream) => stream.send({ type: "ack", message_id: 7 })],
  [
    "a message id of another version",
    (stream) => stream.send({ type: "ack", message_id: messageId.replace("-7d", "-4d") }),
  ],
  ["too many ids", (stream) => stream.send({ type: "ack_batch", message_ids: Array(1001).fill(messageId) })],
];

test.each(outside)("%s is answered with INVALID_REQUEST and the stream goes on", async (_, send) => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  send(stream);
  const error = await stream.next("error");
  expect(error).toMatchObject({ error: "INVALID_REQUEST", code: 4000 });
  expect(error.details).toHaveLength(1);
  expect(await stream.ack(messageId)).toBe(false);
  await stream.close();
});

test("the tenth frame outside the contract ends the stream with 4000", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  for (let count = 1; count <= 9; count++) {
    stream.sendRaw("?");
    expect(await stream.next("error")).toMatchObject({ code: 4000 });
    expect(await stream.ack(messageId)).toBe(false);
  }
  stream.sendRaw("?");
  expect(await stream.next("error")).toMatchObject({ error: "INVALID_REQUEST", code: 4000 });
  expect(await stream.closed).toMatchObject({ code: 4000 });
  expect(stream.all("error")).toHaveLength(10);
});

test("frames outside the contract count before authentication as well", async () => {
  const stream = await openStream(relay.url);
  for (let count = 1; count <= 10; count++) stream.sendRaw("?");
  expect(await stream.closed).toMatchObject({ code: 4000 });
  expect(stream.all("error")).toHaveLength(10);
});

test("a frame of 64 KiB is read and a larger one ends the stream with 1009", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  stream.sendRaw(`{"type":"ping","timestamp":1}${" ".repeat(64 * 1024 - 29)}`);
  expect(await stream.next("status")).toMatchObject({ status: "connected" });
  stream.sendRaw(" ".repeat(64 * 1024 + 1));
  expect(await stream.closed).toMatchObject({ code: 1009 });
});

test("a faulty frame is answered with its fault, without repeating its content", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  stream.send({ type: "ack", message_id: "hunter2" });
  const error = await stream.next("error");
  expect(JSON.stringify(error)).not.toContain("hunter2");
  expect(error.details?.[0]?.path).toBe("/message_id");
  await stream.close();
});

test("a flood of frames is answered in order while other streams go on", async () => {
  const [flooder, other] = [await newDevice(relay), await newDevice(relay)];
  const flood = await openDeviceStream(relay.url, flooder.token);
  const calm = await openDeviceStream(relay.url, other.token);
  for (let count = 0; count < 20_000; count++) flood.send({ type: "ack", message_id: messageId });
  flood.send({ type: "ack_batch", message_ids: [messageId, messageId] });
  expect(await calm.ack(messageId)).toBe(false);
  expect(flood.all("ack_batch_confirmed")).toEqual([]);
  expect(await flood.next("ack_batch_confirmed")).toMatchObject({ acknowledged_count: 0, failed_count: 2 });
  expect(flood.all("ack_confirmed")).toHaveLength(20_000);
  await flood.close();
  await calm.close();
});
