import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { type Draft, demand, message, newDevice, type TestDevice } from "../support/device.js";
import { holdTransaction } from "../support/held-transaction.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream, openStream, type TestStream } from "../support/stream.js";

let relay: TestRelay;
let sender: TestDevice;
beforeAll(async () => {
  relay = await startRelay({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  sender = await newDevice(relay);
});
afterAll(async () => relay.stop());

async function sendTo(device: TestDevice, draft: Draft = {}): Promise<string> {
  return demand(await sender.send(device.address, draft)).body.message_id;
}

async function sendMany(device: TestDevice, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent++) ids.push(await sendTo(device));
  return ids;
}

async function receive(stream: TestStream, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await stream.next("message")).data.message_id);
  return ids;
}

test("queued messages are pushed in the order of the queue, with all members as they were sent", async () => {
  const device = await newDevice(relay);
  const draft = { ciphertext: Buffer.from("secret"), senderSignature: "AB".repeat(64), timestamp: 1_700_000_000 };
  const first = await sendTo(device, draft);
  const rest = await sendMany(device, 4);
  const stream = await openDeviceStream(relay.url, device.token);
  const { data } = await stream.next("message");
  expect(data).toEqual({
    message_id: first,
    mls_ciphertext: Buffer.from("secret").toString("base64"),
    sender_signature: "AB".repeat(64),
    timestamp: 1_700_000_000,
    received_at: expect.any(Number),
  });
  expect(await receive(stream, 4)).toEqual(rest);
  await stream.close();
});

test("a message that is acknowledged before it is pushed is never pushed", async () => {
  const device = await newDevice(relay);
  const ids = await sendMany(device, 13);
  const stream = await openDeviceStream(relay.url, device.token);
  await receive(stream, 10);
  expect(await stream.ack(ids[10] ?? "")).toBe(true);
  stream.send({ type: "ack", message_id: ids[0] });
  expect(await receive(stream, 1)).toEqual([ids[11]]);
  await stream.close();
});

test("a message that arrives while the stream is open is pushed at once, and its sender learns so", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  const answer = demand(await sender.send(device.address));
  expect(answer.body.delivery_estimate).toBe("immediate");
  expect(await receive(stream, 1)).toEqual([answer.body.message_id]);
  await stream.close();
});

test("an acknowledged message is gone, and an unacknowledged one comes again with the next connection", async () => {
  const device = await newDevice(relay);
  const ids = await sendMany(device, 3);
  const stream = await openDeviceStream(relay.url, device.token);
  await receive(stream, 3);
  expect(await stream.ack(ids[1] ?? "")).toBe(true);
  await stream.close();
  expect(demand(await device.poll()).body.messages.map((queued) => queued.message_id)).toEqual([ids[0], ids[2]]);
  const again = await openDeviceStream(relay.url, device.token);
  expect(await receive(again, 2)).toEqual([ids[0], ids[2]]);
  await again.close();
});

test("an id may be spelled without hyphens and is confirmed as it was spelled", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  const id = await sendTo(device);
  await receive(stream, 1);
  const spelled = id.replaceAll("-", "").toUpperCase();
  stream.send({ type: "ack", message_id: spelled });
  expect(await stream.next("ack_confirmed")).toMatchObject({ message_id: spelled, acknowledged: true });
  await stream.close();
});

test("an acknowledgement of nothing is confirmed as such", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  const id = newMessageId(relay.clock.nowMillis(), new Uint8Array(10));
  expect(await stream.ack(id)).toBe(false);
  await stream.close();
});

test("a batch of acknowledgements is answered with how many removed a message", async () => {
  const device = await newDevice(relay);
  const ids = await sendMany(device, 3);
  const stream = await openDeviceStream(relay.url, device.token);
  await receive(stream, 3);
  const unknown = newMessageId(relay.clock.nowMillis(), new Uint8Array(10).fill(9));
  stream.send({ type: "ack_batch", message_ids: [...ids, unknown, ids[0]] });
  expect(await stream.next("ack_batch_confirmed")).toMatchObject({ acknowledged_count: 3, failed_count: 2 });
  expect(demand(await device.poll()).body.messages).toEqual([]);
  await stream.close();
});

test("ten messages are pushed ahead of their acknowledgements, and each acknowledgement allows one more", async () => {
  const device = await newDevice(relay);
  const ids = await sendMany(device, 13);
  const stream = await openDeviceStream(relay.url, device.token);
  expect(await receive(stream, 10)).toEqual(ids.slice(0, 10));
  await stream.none("message");
  stream.send({ type: "ack", message_id: ids[4] });
  expect(await receive(stream, 1)).toEqual([ids[10]]);
  await stream.none("message");
  await stream.close();
});

test("an acknowledgement makes room before it is committed, and is confirmed after that", async () => {
  const device = await newDevice(relay);
  const ids = await sendMany(device, 12);
  const stream = await openDeviceStream(relay.url, device.token);
  await receive(stream, 10);
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const transaction = await holdTransaction(db);
  await transaction.run("lock table messages in share mode");
  stream.send({ type: "ack", message_id: ids[0] });
  expect(await receive(stream, 1)).toEqual([ids[10]]);
  await stream.none("ack_confirmed");
  await transaction.rollback();
  expect(await stream.next("ack_confirmed")).toMatchObject({ message_id: ids[0], acknowledged: true });
  await db.close();
  await stream.close();
});

test("messages beyond the window that arrive while the stream is open follow in order", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  const ids = await sendMany(device, 25);
  const received: string[] = [];
  while (received.length < 25) {
    const [id] = await receive(stream, 1);
    received.push(id ?? "");
    stream.send({ type: "ack", message_id: id });
  }
  expect(received).toEqual(ids);
  await stream.close();
});

test("many acknowledgements at once are confirmed in their order", async () => {
  const device = await newDevice(relay);
  const ids = await sendMany(device, 10);
  const stream = await openDeviceStream(relay.url, device.token);
  await receive(stream, 10);
  for (const id of ids) stream.send({ type: "ack", message_id: id });
  const confirmed: string[] = [];
  while (confirmed.length < 10) confirmed.push((await stream.next("ack_confirmed")).message_id);
  expect(confirmed).toEqual(ids);
  await stream.close();
});

test("queue_empty comes after the last confirmation, and for an empty queue right after connecting", async () => {
  const device = await newDevice(relay);
  const ids = await sendMany(device, 2);
  const stream = await openDeviceStream(relay.url, device.token);
  await receive(stream, 2);
  await stream.ack(ids[0] ?? "");
  expect(stream.all("status").filter((frame) => frame.queue_empty)).toEqual([]);
  await stream.ack(ids[1] ?? "");
  expect(await stream.next("status")).toMatchObject({ queue_empty: true });
  expect(stream.frames.at(-2)).toMatchObject({ type: "ack_confirmed", message_id: ids[1] });
  await stream.close();
  const again = await openDeviceStream(relay.url, device.token);
  expect(await again.next("status")).toMatchObject({ queue_empty: true });
  await again.close();
});

test("sixty seconds without an acknowledgement pause delivery until one arrives, and nothing is lost", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  const first = await sendTo(device);
  await receive(stream, 1);
  relay.clock.advance(61);
  const second = await sendTo(device);
  await stream.none("message", 1_000);
  stream.send({ type: "ack", message_id: newMessageId(relay.clock.nowMillis(), new Uint8Array(10)) });
  expect(await receive(stream, 1)).toEqual([second]);
  expect(await stream.next("ack_confirmed")).toMatchObject({ acknowledged: false });
  expect(await stream.ack(first)).toBe(true);
  await stream.close();
});

test("messages acknowledged over HTTP make room in a paused window", async () => {
  const device = await newDevice(relay);
  const ids = await sendMany(device, 12);
  const stream = await openDeviceStream(relay.url, device.token);
  await receive(stream, 10);
  await device.ack(ids.slice(0, 10));
  relay.clock.advance(70);
  expect(await receive(stream, 2)).toEqual(ids.slice(10));
  await stream.close();
});

test("a message with a system event comes as a system frame and is acknowledged like any other", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  const id = await sendTo(device, {
    ciphertext: Buffer.from("commit"),
    systemEvent: { event: "group_extension_updated", extension_type: "0xF000" },
  });
  expect(await stream.next("system")).toMatchObject({
    event: "group_extension_updated",
    data: { message_id: id, mls_ciphertext: Buffer.from("commit").toString("base64"), extension_type: "0xF000" },
  });
  expect(stream.all("message")).toEqual([]);
  expect(await stream.ack(id)).toBe(true);
  await stream.close();
});

test("of two senders' messages with the same id each acknowledgement removes the older", async () => {
  const [device, other] = [await newDevice(relay), await newDevice(relay)];
  const id = newMessageId(relay.clock.nowMillis(), new Uint8Array(10).fill(3));
  await sendTo(device, { messageId: id, ciphertext: Buffer.from("first") });
  demand(await other.send(device.address, { messageId: id, ciphertext: Buffer.from("second") }));
  const stream = await openDeviceStream(relay.url, device.token);
  await receive(stream, 2);
  expect(await stream.ack(id)).toBe(true);
  const left = demand(await device.poll()).body.messages;
  expect(left.map((queued) => Buffer.from(queued.mls_ciphertext, "base64").toString())).toEqual(["second"]);
  await stream.close();
});

test("expired messages are not pushed", async () => {
  const device = await newDevice(relay);
  await sendTo(device);
  relay.clock.advance(31 * 86_400);
  await device.announce();
  sender = await newDevice(relay);
  const id = await sendTo(device);
  const stream = await openDeviceStream(relay.url, device.token);
  expect(await receive(stream, 1)).toEqual([id]);
  await stream.close();
});

test("a client that reads nothing for sixty seconds ends with 4013 and gets its messages again", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  await stream.next("status");
  stream.socket.pause();
  const big = new Uint8Array(4_000_000);
  const ids = [
    await sendTo(device, { ciphertext: big }),
    await sendTo(device, { ciphertext: big }),
    await sendTo(device),
  ];
  await wait(600);
  // The silence is counted in inspections, ten in a minute, so that a busy process blames no client.
  for (let inspections = 0; inspections < 25; inspections++) {
    relay.clock.advance(6);
    await wait(400);
  }
  stream.socket.resume();
  expect(await stream.closed).toMatchObject({ code: 4013 });
  expect(stream.all("message").length).toBeLessThan(3);
  const again = await openDeviceStream(relay.url, device.token);
  expect(await receive(again, 3)).toEqual(ids);
  await again.close();
});

test("a message of the largest size passes through the stream unchanged", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  const ciphertext = Buffer.alloc(10_485_760, 7);
  await sendTo(device, { ciphertext });
  const { data } = await stream.next("message", 10_000);
  expect(Buffer.from(data.mls_ciphertext, "base64").equals(ciphertext)).toBe(true);
  await stream.close();
});

test("hundreds of messages from many senders at once arrive in queue order, none lost and none twice", async () => {
  const device = await newDevice(relay);
  const senders = await Promise.all(Array.from({ length: 5 }, () => newDevice(relay)));
  const stream = await openDeviceStream(relay.url, device.token);
  const received: string[] = [];
  stream.socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString());
    if (frame.type !== "message") return;
    received.push(frame.data.message_id);
    stream.send({ type: "ack", message_id: frame.data.message_id });
  });
  const sent = await Promise.all(
    senders.map(async (from) => {
      const ids: string[] = [];
      for (let count = 0; count < 60; count++) ids.push(demand(await from.send(device.address)).body.message_id);
      return ids;
    }),
  );
  for (let waited = 0; received.length < 300 && waited < 90_000; waited += 50) await wait(50);
  expect(received).toHaveLength(300);
  expect(new Set(received)).toEqual(new Set(sent.flat()));
  for (const ids of sent) expect(received.filter((id) => ids.includes(id))).toEqual(ids);
  await stream.close();
});

test("an acknowledgement that fails, single or in a batch, is answered with an error that names its messages, and can be repeated", async () => {
  const device = await newDevice(relay);
  const [first = "", second = ""] = await sendMany(device, 2);
  const stream = await openDeviceStream(relay.url, device.token);
  await receive(stream, 2);
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await db.run("alter table messages rename to messages_away");
  stream.send({ type: "ack", message_id: first });
  expect(await stream.next("error")).toMatchObject({ message_id: first, retry_after: expect.any(Number) });
  stream.send({ type: "ack", message_id: first.replaceAll("-", "").toUpperCase() });
  expect(await stream.next("error")).toMatchObject({ message_id: first });
  stream.send({ type: "ack_batch", message_ids: [first, "no id", second.replaceAll("-", "")] });
  const failed = await stream.next("error");
  expect(failed).toMatchObject({ message_ids: [first, second], retry_after: expect.any(Number) });
  expect(failed).not.toHaveProperty("message_id");
  await db.run("alter table messages_away rename to messages");
  await db.close();
  expect(await stream.ack(first)).toBe(true);
  expect(await stream.ack(second)).toBe(true);
  await stream.close();
});

test("the ids of a batch that failed come in frames that the client accepts, in the order of the batch", async () => {
  const device = await newDevice(relay);
  const stream = await openStream(relay.url);
  stream.send({ type: "auth", access_token: device.token, max_frame_bytes: 4096 });
  await stream.next("status");
  const ids = Array.from({ length: 200 }, (_, at) => newMessageId(at, new Uint8Array(10)));
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await db.run("alter table messages rename to messages_away");
  stream.send({ type: "ack_batch", message_ids: ids });
  const named: string[] = [];
  while (named.length < ids.length) {
    const failed = await stream.next("error");
    expect(JSON.stringify(failed).length).toBeLessThanOrEqual(4096);
    named.push(...(failed["message_ids"] as string[]));
  }
  await db.run("alter table messages_away rename to messages");
  await db.close();
  expect(named).toEqual(ids);
  await stream.close();
});

test("an acknowledgement removes no other message that has come to the position of its own", async () => {
  const device = await newDevice(relay);
  const [pushed = ""] = await sendMany(device, 1);
  const stream = await openDeviceStream(relay.url, device.token);
  await receive(stream, 1);
  // As after the promotion of a standby that lacked the message.
  const other = newMessageId(1, new Uint8Array(10));
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await db.run("update messages set message_id = :other::uuid where message_id = :pushed::uuid", { other, pushed });
  await db.close();
  expect(await stream.ack(pushed)).toBe(false);
  expect(demand(await device.poll()).body.messages.map(({ message_id }) => message_id)).toEqual([other]);
  await stream.close();
});

test("a paused stream with more messages waiting than max_message_backlog is closed with 4013", async () => {
  const small = await startRelay({ maxMessageBacklog: 12, seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  try {
    const [from, device] = [await newDevice(small), await newDevice(small)];
    for (let sent = 0; sent < 13; sent++) demand(await from.send(device.address, message(small, device.address)));
    const stream = await openDeviceStream(small.url, device.token);
    await receive(stream, 10);
    small.clock.advance(70);
    expect(await stream.closed).toMatchObject({ code: 4013 });
    expect(demand(await device.poll()).body.messages).toHaveLength(13);
  } finally {
    await small.stop();
  }
});
