import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let sender: TestDevice;
let recipient: TestDevice;

const unlimited = { seeds: { SEED_RATE_LIMITING_ENABLED: "false", SEED_SERVER_MAX_MESSAGE_SIZE: "2048" } };

beforeAll(async () => {
  relay = await startRelay(unlimited);
  [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
});

afterAll(() => relay.stop());

const freshId = () => newMessageId(relay.clock.nowMillis(), new Uint8Array(randomBytes(10)));
const sendRaw = (changes: Record<string, unknown>) =>
  call(relay, "sendMessage", { token: sender.token, body: { ...message(relay, recipient.address), ...changes } });
const emptyQueue = async (device: TestDevice) => {
  const { body } = demand(await device.poll({ limit: 1000 }));
  await device.ack(body.messages.map((one) => one.message_id));
};

describe("a message to a device of this server", () => {
  it("is answered with 202 and leaves the recipient's queue unchanged", async () => {
    const before = relay.clock.nowSeconds();
    const draft = message(relay, recipient.address);
    const sent = await call(relay, "sendMessage", { token: sender.token, body: draft });
    expect(sent.status).toBe(202);
    expect(sent.body).toEqual({ message_id: draft.message_id, status: "queued", delivery_estimate: "delayed" });
    const { body } = demand(await recipient.poll());
    const [received] = body.messages;
    expect(received).toEqual({
      message_id: draft.message_id,
      mls_ciphertext: draft.mls_ciphertext,
      sender_signature: draft.sender_signature,
      timestamp: draft.timestamp,
      received_at: received?.received_at,
    });
    expect(received?.received_at).toBeGreaterThanOrEqual(before);
    expect(received?.received_at).toBeLessThanOrEqual(relay.clock.nowSeconds());
    await emptyQueue(recipient);
  });

  it("has the same id in both spellings, is answered in its own, and is delivered with hyphens and in lower case", async () => {
    const id = freshId();
    const spelled = id.replaceAll("-", "").toUpperCase();
    const sent = await sendRaw({ message_id: spelled });
    expect(sent.body).toMatchObject({ message_id: spelled });
    const { body } = demand(await recipient.poll());
    expect(body.messages.map((one) => one.message_id)).toEqual([id]);
    expect((await recipient.ack([id.replaceAll("-", "")])).body).toEqual({ acknowledged_count: 1, failed_count: 0 });
  });

  it("reaches its address in any spelling of prefix and domain", async () => {
    const [prefix = ""] = recipient.address.split("@");
    for (const address of [`${prefix.replaceAll("-", "").toUpperCase()}@RELAY.test`, `${prefix}@relay.test.`]) {
      expect((await sendRaw({ recipient_address: address })).status).toBe(202);
    }
    expect(demand(await recipient.poll()).body.messages).toHaveLength(2);
    await emptyQueue(recipient);
  });

  it("keeps a signature in the spelling in which it was sent, whatever that is", async () => {
    const signatures = [randomBytes(64).toString("hex").toUpperCase(), randomBytes(64).toString("base64")];
    signatures.push(randomBytes(64).toString("base64url"), "ed25519:00", "s".repeat(512));
    for (const sender_signature of signatures) expect((await sendRaw({ sender_signature })).status).toBe(202);
    const { body } = demand(await recipient.poll());
    expect(body.messages.map((one) => one.sender_signature)).toEqual(signatures);
    await emptyQueue(recipient);
  });

  it("carries a system event if the sender adds one", async () => {
    const events = [{ event: "epoch_change" }, { event: "group_extension_updated", extension_type: "0xF000" }];
    for (const system_event of events) expect((await sendRaw({ system_event })).status).toBe(202);
    const { body } = demand(await recipient.poll());
    expect(body.messages.map((one) => one.system_event)).toEqual([
      { event: "epoch_change", extension_type: null },
      { event: "group_extension_updated", extension_type: "0xF000" },
    ]);
    await emptyQueue(recipient);
  });

  it("may be sent to oneself", async () => {
    expect((await sender.send(sender.address)).status).toBe(202);
    expect(demand(await sender.poll()).body.messages).toHaveLength(1);
    await emptyQueue(sender);
  });
});

describe("a repeated message", () => {
  it("is answered with 202 again and stored once, even if sent many times at once", async () => {
    const draft = message(relay, recipient.address);
    const body = { token: sender.token, body: draft };
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(relay, "sendMessage", body)));
    answers.push(await call(relay, "sendMessage", body));
    for (const answer of answers) {
      expect(answer.status).toBe(202);
      expect(answer.body).toEqual({
        message_id: draft.message_id,
        status: "queued",
        delivery_estimate: "delayed",
      });
    }
    expect(demand(await recipient.poll()).body.messages).toHaveLength(1);
    await emptyQueue(recipient);
  });

  it("is not stored again after it was acknowledged", async () => {
    const messageId = freshId();
    expect((await sender.send(recipient.address, { messageId })).status).toBe(202);
    await emptyQueue(recipient);
    expect((await sender.send(recipient.address, { messageId })).status).toBe(202);
    expect(demand(await recipient.poll()).body.messages).toEqual([]);
  });

  it("is another message if another device sends the id", async () => {
    const messageId = freshId();
    expect((await sender.send(recipient.address, { messageId })).status).toBe(202);
    expect((await recipient.send(recipient.address, { messageId })).status).toBe(202);
    expect(demand(await recipient.poll()).body.messages).toHaveLength(2);
    await emptyQueue(recipient);
  });

  it("is delivered to each of several recipients, and to each address of one", async () => {
    const [other, messageId] = [await newDevice(relay), freshId()];
    const first = other.address;
    await other.announce();
    for (const address of [recipient.address, first, other.address]) {
      expect((await sender.send(address, { messageId })).status).toBe(202);
    }
    expect(demand(await recipient.poll()).body.messages).toHaveLength(1);
    expect(demand(await other.poll()).body.messages).toHaveLength(2);
    await emptyQueue(recipient);
  });
});

describe("a message that cannot be delivered", () => {
  it("to an address that nobody announced is refused with 404", async () => {
    const answer = await sendRaw({ recipient_address: "00000000-0000-4000-8000-000000000000@relay.test" });
    expect([answer.status, answer.body.error, answer.body.code]).toEqual([404, "ADDRESS_NOT_FOUND", 4003]);
  });

  it("to an address on another server is refused with 503 while there is no federation", async () => {
    const answer = await sendRaw({ recipient_address: "00000000-0000-4000-8000-000000000000@elsewhere.example" });
    expect([answer.status, answer.body.error, answer.body.code]).toEqual([503, "FEDERATION_DISABLED", 5003]);
  });

  it("over max_message_size is refused with 413, and at it accepted", async () => {
    const base64 = (length: number) => randomBytes(length).toString("base64");
    const over = await sendRaw({ mls_ciphertext: base64(2049) });
    expect([over.status, over.body.error]).toEqual([413, "MESSAGE_TOO_LARGE"]);
    expect((await sendRaw({ mls_ciphertext: base64(2048) })).status).toBe(202);
    await emptyQueue(recipient);
  });

  const wrong: [string, Record<string, unknown>, string, number][] = [
    ["a version 4 id", { message_id: "2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52" }, "INVALID_REQUEST", 400],
    ["an id of another variant", { message_id: "0193a5f0-7b1c-7c3e-1d52-4f6a8b0c1d2e" }, "INVALID_REQUEST", 400],
    ["an id with misplaced hyphens", { message_id: "0193a5f07-b1c-7c3e-9d52-4f6a8b0c1d2e" }, "INVALID_REQUEST", 400],
    ["no ciphertext", { mls_ciphertext: "" }, "INVALID_REQUEST", 400],
    ["base64 without padding", { mls_ciphertext: "AAAAA" }, "INVALID_REQUEST", 400],
    ["base64 whose unused bits are set", { mls_ciphertext: "AAB=" }, "INVALID_REQUEST", 400],
    ["base64 of the URL alphabet", { mls_ciphertext: "-_-_" }, "INVALID_REQUEST", 400],
    ["base64 padded in its middle", { mls_ciphertext: "AA==AAAA" }, "INVALID_REQUEST", 400],
    ["no signature", { sender_signature: "" }, "INVALID_REQUEST", 400],
    ["a signature of 513 characters", { sender_signature: "s".repeat(513) }, "INVALID_REQUEST", 400],
    ["a signature that is no ASCII text", { sender_signature: "é" }, "INVALID_REQUEST", 400],
    ["a negative timestamp", { timestamp: -1 }, "INVALID_REQUEST", 400],
    ["a fractional timestamp", { timestamp: 1.5 }, "INVALID_REQUEST", 400],
    ["an unknown member", { sender: "me" }, "INVALID_REQUEST", 400],
    ["an unknown event", { system_event: { event: "party" } }, "INVALID_REQUEST", 400],
    [
      "a control character in extension_type",
      { system_event: { event: "epoch_change", extension_type: "\u0000" } },
      "INVALID_REQUEST",
      400,
    ],
    [
      "an address without domain",
      { recipient_address: "2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52" },
      "INVALID_ADDRESS",
      400,
    ],
    [
      "an address on an IP",
      { recipient_address: "2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52@127.0.0.1" },
      "INVALID_ADDRESS",
      400,
    ],
    ["a short prefix", { recipient_address: "2f1c6f1e@relay.test" }, "INVALID_ADDRESS", 400],
    ["an address that is no text", { recipient_address: 7 }, "INVALID_REQUEST", 400],
  ];
  it.each(wrong)("with %s is refused", async (_, changes, error, status) => {
    const answer = await sendRaw(changes);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });

  it("without a token is refused with 401", async () => {
    const answer = await call(relay, "sendMessage", { body: message(relay, recipient.address) });
    expect([answer.status, answer.body.error]).toEqual([401, "INVALID_TOKEN"]);
  });

  it("leaves nothing in the queue", async () => {
    expect(demand(await recipient.poll()).body.messages).toEqual([]);
  });
});

describe("an address that has expired", () => {
  it("is refused with 404 until it is announced again", async () => {
    const own = await startRelay({ seeds: { ...unlimited.seeds, SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "1" } });
    try {
      const [from, to] = [await newDevice(own), await newDevice(own)];
      const { address } = to;
      const body = message(own, address);
      const send = () => call(own, "sendMessage", { token: from.token, body });
      expect([(await send()).status, (await send()).status]).toEqual([202, 202]);
      own.clock.advance(3601);
      // What was accepted before is repeated in vain as well, and still delivered.
      for (const late of [await from.send(address), await send()]) {
        expect([late.status, late.body.error]).toEqual([404, "ADDRESS_NOT_FOUND"]);
      }
      await to.announce();
      expect((await from.send(to.address)).status).toBe(202);
      expect(demand(await to.poll()).body.messages).toHaveLength(2);
    } finally {
      await own.stop();
    }
  });
});
