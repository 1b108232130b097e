import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let sender: TestDevice;
let device: TestDevice;

beforeAll(async () => {
  relay = await startRelay({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  [sender, device] = [await newDevice(relay), await newDevice(relay)];
});

afterAll(() => relay.stop());

const freshId = () => newMessageId(relay.clock.nowMillis(), new Uint8Array(randomBytes(10)));
const ackOne = (message_id: string, by = device) =>
  call(relay, "acknowledgeMessage", { token: by.token, params: { message_id } });
const queue = async () => demand(await device.poll()).body.messages;

describe("an acknowledgement", () => {
  it("removes the message for good", async () => {
    const { body } = demand(await sender.send(device.address));
    const first = await ackOne(body.message_id);
    expect([first.status, first.body]).toEqual([200, { acknowledged: true }]);
    expect(await queue()).toEqual([]);
    expect((await ackOne(body.message_id)).body).toEqual({ acknowledged: false });
  });

  it("of a message that was never there is no error", async () => {
    const answer = await ackOne(freshId());
    expect([answer.status, answer.body]).toEqual([200, { acknowledged: false }]);
  });

  it("only concerns the caller's own queue", async () => {
    const { body } = demand(await sender.send(device.address));
    expect((await ackOne(body.message_id, sender)).body).toEqual({ acknowledged: false });
    expect((await ackOne(body.message_id)).body).toEqual({ acknowledged: true });
  });

  it("is refused where the path holds no message id", async () => {
    for (const id of ["2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52", "x"]) {
      const answer = await ackOne(id);
      expect([answer.status, answer.body.error]).toEqual([400, "INVALID_REQUEST"]);
    }
  });

  it("of one message by many requests at once succeeds for one of them", async () => {
    const { body } = demand(await sender.send(device.address));
    const answers = await Promise.all(Array.from({ length: 10 }, () => ackOne(body.message_id)));
    expect(answers.filter((answer) => answer.body.acknowledged)).toHaveLength(1);
  });
});

describe("where two senders used one id", () => {
  it("an acknowledgement after a poll with `since` that left the older one out removes the younger one", async () => {
    const [messageId, other] = [freshId(), await newDevice(relay)];
    const older = demand(await sender.send(device.address, { messageId, senderSignature: "a".repeat(128) }));
    relay.clock.advance(100);
    const since = relay.clock.nowSeconds();
    demand(await other.send(device.address, { messageId, senderSignature: "b".repeat(128) }));
    const page = demand(await device.poll({ since })).body.messages;
    expect(page.map(({ sender_signature: signature }) => signature[0])).toEqual(["b"]);
    // A second page of the same kind changes nothing.
    await device.poll({ since });
    expect((await device.ack([messageId])).body.acknowledged_count).toBe(1);
    expect((await queue()).map(({ sender_signature: signature }) => signature[0])).toEqual(["a"]);
    expect((await ackOne(older.body.message_id)).body).toEqual({ acknowledged: true });
    expect(await queue()).toEqual([]);
  });

  it("and both were delivered, two acknowledgements remove both", async () => {
    const [messageId, other] = [freshId(), await newDevice(relay)];
    demand(await sender.send(device.address, { messageId, senderSignature: "a".repeat(128) }));
    relay.clock.advance(100);
    const since = relay.clock.nowSeconds();
    demand(await other.send(device.address, { messageId, senderSignature: "b".repeat(128) }));
    await device.poll({ since });
    expect(await queue()).toHaveLength(2);
    // Whether the cursor has been written by now or not, no undelivered message is lost.
    expect((await device.ack([messageId, messageId])).body.acknowledged_count).toBe(2);
    expect(await queue()).toEqual([]);
  });

  it("each acknowledgement removes one message, the oldest first", async () => {
    const messageId = freshId();
    const [a, b] = [new Uint8Array([1]), new Uint8Array([2])];
    await sender.send(device.address, { messageId, ciphertext: a });
    await device.send(device.address, { messageId, ciphertext: b });
    expect((await queue()).map((one) => one.mls_ciphertext)).toEqual(["AQ==", "Ag=="]);
    expect((await ackOne(messageId)).body).toEqual({ acknowledged: true });
    expect((await queue()).map((one) => one.mls_ciphertext)).toEqual(["Ag=="]);
    expect((await ackOne(messageId)).body).toEqual({ acknowledged: true });
    expect((await ackOne(messageId)).body).toEqual({ acknowledged: false });
  });

  it("a list that names the id twice removes both", async () => {
    const messageId = freshId();
    await sender.send(device.address, { messageId });
    await device.send(device.address, { messageId });
    const answer = await device.ack([messageId, messageId, messageId]);
    expect(answer.body).toEqual({ acknowledged_count: 2, failed_count: 1 });
    expect(await queue()).toEqual([]);
  });
});

describe("a list of acknowledgements", () => {
  it("removes the messages that are there and counts the rest as failed", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(demand(await sender.send(device.address)).body.message_id);
    const answer = await device.ack([...ids.slice(0, 3), freshId(), freshId()]);
    expect([answer.status, answer.body]).toEqual([200, { acknowledged_count: 3, failed_count: 2 }]);
    expect((await queue()).map((one) => one.message_id)).toEqual(ids.slice(3));
    await device.ack(ids);
  });

  it("may hold 1000 ids and may be empty", async () => {
    expect((await device.ack([])).body).toEqual({ acknowledged_count: 0, failed_count: 0 });
    const answer = await device.ack(Array.from({ length: 1000 }, freshId));
    expect(answer.body).toEqual({ acknowledged_count: 0, failed_count: 1000 });
  });

  it("is refused with more ids", async () => {
    const answer = await device.ack(Array.from({ length: 1001 }, freshId));
    expect([answer.status, answer.body.error]).toEqual([400, "INVALID_REQUEST"]);
  });

  it("counts what is no id as failed, and acknowledges the others", async () => {
    const id = freshId();
    expect((await device.send(device.address, { messageId: id })).status).toBe(202);
    const { body } = await device.ack(["x", id, ""]);
    expect(body).toEqual({ acknowledged_count: 1, failed_count: 2 });
  });
});
