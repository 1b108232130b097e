import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { isDistributed } from "../support/backends.js";
import { demand, newDevice } from "../support/device.js";
import { startRelay } from "../support/relay.js";
import { createMessagesFixture, type FixtureDevice, type MessagesFixture, type MessagesNode } from "./fixture.js";

const day = 86_400;
let fixture: MessagesFixture;
let node: MessagesNode;

beforeAll(async () => {
  fixture = await createMessagesFixture({ server: { max_retention_days: 3 } });
  node = await fixture.node({ config: { expiryStepRows: 10 } });
});

afterAll(() => fixture.stop());

const from = (device: FixtureDevice) => ({ kind: "device", deviceId: device.deviceId }) as const;
const queueOf = async (device: FixtureDevice) =>
  (await node.messages.poll(device.deviceId, { limit: 1000 })).messages.map((one) => one.messageId);
const countRows = async (table: string) => {
  const row = await fixture.db.one<{ count: number }>(`select count(*) as count from ${table}`);
  return row?.count;
};

describe("a queued message", () => {
  it("is not delivered, acknowledged or kept after the retention period", async () => {
    const relay = await startRelay({
      expiryIntervalSeconds: 1,
      seeds: { SEED_SERVER_MAX_RETENTION_DAYS: "1", SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "100" },
    });
    const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
    try {
      const [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
      const { body } = demand(await sender.send(recipient.address));
      relay.clock.advance(day - 60);
      expect(demand(await recipient.poll()).body.messages).toHaveLength(1);
      relay.clock.advance(61);
      await recipient.announce();
      expect(demand(await recipient.poll()).body.messages).toEqual([]);
      expect((await recipient.ack([body.message_id])).body).toEqual({ acknowledged_count: 0, failed_count: 1 });
      await expect.poll(() => db.rows("select 1 from messages")).toEqual([]);
    } finally {
      await db.close();
      await relay.stop();
    }
  });

  it("is removed by a job in steps, with the queue's counters, and counted as expired", async () => {
    const [sender, to, other] = [await fixture.device(), await fixture.device(), await fixture.device()];
    for (const device of [to, other]) {
      const envelopes = Array.from({ length: 17 }, () => fixture.envelope(device));
      await node.messages.accept(from(sender), envelopes);
    }
    fixture.clock.advance(2 * day);
    const young = fixture.envelope(to);
    await node.messages.accept(from(sender), [young]);
    expect(await node.messages.expireMessages()).toBe(0);
    fixture.clock.advance(day + 1);
    expect(await queueOf(to)).toEqual([young.messageId]);
    expect(await node.messages.expireMessages()).toBe(34);
    expect(await node.messages.countQueued(to.deviceId)).toBe(1);
    expect(await node.messages.countQueued(other.deviceId)).toBe(0);
    expect(await countRows("messages")).toBe(1);
    await node.metrics.flush();
    expect(await node.metrics.total("messages_expired")).toBe(34);
  });

  it("expires earlier if its recipient asked for it, and never later than the server's setting", async () => {
    const sender = await fixture.device();
    const [brief, patient] = [
      await fixture.device({ max_retention_days: 1 }),
      await fixture.device({ max_retention_days: 9 }),
    ];
    for (const to of [brief, patient]) await node.messages.accept(from(sender), [fixture.envelope(to)]);
    fixture.clock.advance(day + 1);
    expect([await queueOf(brief), (await queueOf(patient)).length]).toEqual([[], 1]);
    fixture.clock.advance(2 * day);
    expect(await queueOf(patient)).toEqual([]);
  });

  it("is recognised as a repetition for the retention period, and at most a day longer", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const envelope = fixture.envelope(to);
    const send = async () => (await node.messages.accept(from(sender), [envelope]))[0];
    expect(await send()).toMatchObject({ status: "queued" });
    fixture.clock.advance(3 * day - 10);
    await node.messages.expireKeys();
    expect(await send()).toMatchObject({ status: "duplicate" });
    fixture.clock.advance(2 * day);
    const { days, keys } = await node.messages.expireKeys();
    expect(isDistributed ? keys : days).toBeGreaterThan(0);
    expect([await countRows("message_keys"), await countRows("message_keys_with_expiry")]).toEqual([0, 0]);
    expect(await send()).toMatchObject({ status: "queued" });
  });
});
