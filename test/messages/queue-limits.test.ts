import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRefused, type Outcome } from "../../src/messages/model/types.js";
import { demand, newDevice } from "../support/device.js";
import { startRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";
import { createMessagesFixture, type FixtureDevice, type MessagesFixture, type MessagesNode } from "./fixture.js";

const mebibyte = 1024 * 1024;
let fixture: MessagesFixture;
let node: MessagesNode;

beforeAll(async () => {
  fixture = await createMessagesFixture({ storage: { message_queue_limit: 5, message_queue_bytes_limit: mebibyte } });
  node = await fixture.node();
});

afterAll(() => fixture.stop());

const from = (device: FixtureDevice) => ({ kind: "device", deviceId: device.deviceId }) as const;
const nameOf = (outcome: Outcome) => (isRefused(outcome) ? outcome.error : outcome.status);
async function send(sender: FixtureDevice, to: FixtureDevice, sizes: readonly number[]): Promise<string[]> {
  const envelopes = sizes.map((size) => fixture.envelope(to, { ciphertext: Buffer.alloc(size, 1) }));
  return (await node.messages.accept(from(sender), envelopes)).map(nameOf);
}
async function acknowledgeAll(device: FixtureDevice): Promise<void> {
  const { messages } = await node.messages.poll(device.deviceId, { limit: 100 });
  await node.messages.acknowledge(device.deviceId, messages);
}
async function stateOf(device: FixtureDevice) {
  const row = await fixture.db.one<Record<string, number>>(
    "select queued_messages, queued_bytes, messages_received from queues where device_id = :id",
    { id: device.deviceId },
  );
  return row;
}

describe("a full queue", () => {
  it("is answered with 507; nothing is dropped to make room, but an acknowledgement makes room", async () => {
    const relay = await startRelay({ seeds: { SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "2" } });
    try {
      const [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
      const first = demand(await sender.send(recipient.address)).body.message_id;
      demand(await sender.send(recipient.address));
      for (let i = 0; i < 3; i++) {
        const full = await sender.send(recipient.address);
        expect([full.status, full.body.error, full.body.code]).toEqual([507, "QUEUE_FULL", 5004]);
      }
      expect(demand(await recipient.poll()).body.messages.map((one) => one.message_id)).toContain(first);
      await recipient.ack([first]);
      demand(await sender.send(recipient.address));
      expect((await sender.send(recipient.address)).status).toBe(507);
    } finally {
      await relay.stop();
    }
  });

  it("accepts a batch in order as far as there is room, and refuses the rest", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    expect(await send(sender, to, [1, 1, 1, 1, 1, 1, 1])).toEqual([
      ...Array.from({ length: 5 }, () => "queued"),
      "QUEUE_FULL",
      "QUEUE_FULL",
    ]);
    expect(await stateOf(to)).toMatchObject({ queued_messages: 5, queued_bytes: 5, messages_received: 5 });
  });

  it("costs the sender nothing of its limit", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    await send(sender, to, [1, 1, 1, 1, 1, 1, 1, 1]);
    await send(sender, to, [1]);
    const counters = await tableOf(fixture.db, "sending_windows").where({ device_id: sender.deviceId });
    expect(counters).toMatchObject([{ sent: 5, count: 5 }]);
  });

  it("accepts a refused message later under the same id", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    await send(sender, to, [1, 1, 1, 1, 1]);
    const late = fixture.envelope(to);
    expect((await node.messages.accept(from(sender), [late])).map(nameOf)).toEqual(["QUEUE_FULL"]);
    expect((await node.messages.accept(from(sender), [late, late])).map(nameOf)).toEqual(["QUEUE_FULL", "QUEUE_FULL"]);
    await acknowledgeAll(to);
    expect((await node.messages.accept(from(sender), [late, late])).map(nameOf)).toEqual(["queued", "duplicate"]);
  });

  it("is full by bytes as well as by number", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const outcomes = await send(sender, to, [mebibyte - 10, 11, 10, 1]);
    expect(outcomes).toEqual(["queued", "QUEUE_FULL", "queued", "QUEUE_FULL"]);
    await acknowledgeAll(to);
    expect(await stateOf(to)).toMatchObject({ queued_messages: 0, queued_bytes: 0 });
  });

  it("is full at the lower of the server's and the device's own limit", async () => {
    const sender = await fixture.device();
    const modest = await fixture.device({ offline_message_limit: 2 });
    expect(await send(sender, modest, [1, 1, 1])).toEqual(["queued", "queued", "QUEUE_FULL"]);
    const greedy = await fixture.device({ offline_message_limit: 100 });
    expect((await send(sender, greedy, [1, 1, 1, 1, 1, 1])).at(-1)).toBe("QUEUE_FULL");
  });

  it("with many senders at once on two nodes holds exactly its limit", async () => {
    const other = await fixture.node();
    const to = await fixture.device();
    const senders = await Promise.all(Array.from({ length: 10 }, () => fixture.device()));
    const sendings = senders.flatMap((sender) =>
      [node, other].map(({ messages }) => messages.accept(from(sender), [fixture.envelope(to), fixture.envelope(to)])),
    );
    const names = (await Promise.all(sendings)).flat().map(nameOf);
    expect(names.filter((name) => name === "queued")).toHaveLength(5);
    expect(names.filter((name) => name === "QUEUE_FULL")).toHaveLength(35);
    expect(await stateOf(to)).toMatchObject({ queued_messages: 5, messages_received: 5 });
  });
});
