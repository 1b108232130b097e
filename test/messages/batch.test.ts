import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let sender: TestDevice;
let recipient: TestDevice;

beforeAll(async () => {
  relay = await startRelay({
    seeds: { SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "300", SEED_SERVER_MAX_MESSAGE_SIZE: "2048" },
  });
  [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
});

afterAll(() => relay.stop());

const draft = (changes: Record<string, unknown> = {}) => ({ ...message(relay, recipient.address), ...changes });
const sendBatch = (messages: unknown, from = sender) =>
  call(relay, "sendMessageBatch", { token: from.token, body: { messages } });
const queue = async () => demand(await recipient.poll({ limit: 1000 })).body.messages.map((one) => one.message_id);

describe("a batch", () => {
  it("stores its messages in order and returns the status of each", async () => {
    const drafts = Array.from({ length: 100 }, () => draft());
    const { status, body } = await sendBatch(drafts);
    expect(status).toBe(202);
    expect(body).toEqual({
      accepted_count: 100,
      rejected_count: 0,
      message_statuses: drafts.map((one) => ({ message_id: one.message_id, status: "queued" })),
    });
    expect(await queue()).toEqual(drafts.map((one) => one.message_id));
    await recipient.ack(await queue());
  });

  it("rejects malformed messages one by one and accepts the others", async () => {
    const good = [draft(), draft({ system_event: { event: "member_added" } })];
    const bad: [Record<string, unknown>, string, number][] = [
      [{ message_id: "not an id" }, "INVALID_REQUEST", 4000],
      [{ message_id: "2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52" }, "INVALID_REQUEST", 4000],
      [{ recipient_address: "nobody" }, "INVALID_ADDRESS", 4005],
      [{ recipient_address: `${"0".repeat(32)}@relay.test` }, "ADDRESS_NOT_FOUND", 4003],
      [{ recipient_address: `${"0".repeat(32)}@other.example` }, "FEDERATION_DISABLED", 5003],
      [{ mls_ciphertext: "" }, "INVALID_REQUEST", 4000],
      [{ mls_ciphertext: "AAB=" }, "INVALID_REQUEST", 4000],
      [{ mls_ciphertext: randomBytes(2049).toString("base64") }, "MESSAGE_TOO_LARGE", 4015],
      [{ sender_signature: "" }, "INVALID_REQUEST", 4000],
      [{ timestamp: -5 }, "INVALID_REQUEST", 4000],
      [{ system_event: { event: "party" } }, "INVALID_REQUEST", 4000],
      [{ system_event: { event: "epoch_change", extension_type: "\n" } }, "INVALID_REQUEST", 4000],
    ];
    const drafts = [good[0], ...bad.map(([changes]) => draft(changes)), good[1]];
    const { status, body } = await sendBatch(drafts);
    expect(status).toBe(202);
    expect([body.accepted_count, body.rejected_count]).toEqual([2, bad.length]);
    expect(body.message_statuses.slice(1, -1)).toEqual(
      bad.map(([, error, code], i) => ({
        message_id: drafts[i + 1]?.message_id,
        status: "rejected",
        error,
        code,
      })),
    );
    expect(await queue()).toEqual(good.map((one) => one.message_id));
    await recipient.ack(await queue());
  });

  it("is answered with 202 even if every message is rejected, and if there is none", async () => {
    const { status, body } = await sendBatch([draft({ mls_ciphertext: "" })]);
    expect([status, body.accepted_count, body.rejected_count]).toEqual([202, 0, 1]);
    const empty = await sendBatch([]);
    expect([empty.status, empty.body]).toEqual([202, { accepted_count: 0, rejected_count: 0, message_statuses: [] }]);
  });

  it("rejects only the message with characters that no text can hold, and returns its id as far as possible", async () => {
    const good = draft();
    const bad: [Record<string, unknown>, string][] = [
      [{ message_id: "a\u0000b" }, "INVALID_REQUEST"],
      [{ message_id: "a\ud800b" }, "INVALID_REQUEST"],
      [{ recipient_address: `\udc00@relay.test` }, "INVALID_ADDRESS"],
      [{ mls_ciphertext: "AAAA\u0000" }, "INVALID_REQUEST"],
      [{ sender_signature: "\ud800" }, "INVALID_REQUEST"],
      [{ system_event: { event: "epoch_change", extension_type: "\u0000" } }, "INVALID_REQUEST"],
    ];
    const { status, body } = await sendBatch([...bad.map(([changes]) => draft(changes)), good]);
    expect([status, body.accepted_count]).toEqual([202, 1]);
    expect(body.message_statuses.map(({ error }) => error)).toEqual([...bad.map(([, error]) => error), undefined]);
    expect(body.message_statuses.slice(0, 2).map((one) => one.message_id)).toEqual(["a\uFFFDb", "a\uFFFDb"]);
    await recipient.ack(await queue());
    expect(
      (await call(relay, "sendMessageBatch", { token: sender.token, body: { messages: [good], "\0": 1 } })).status,
    ).toBe(400);
  });

  it("names limit and reset for each message that it rejects for the sender's limit", async () => {
    const limited = await newDevice(relay);
    const refusals = () =>
      sendBatch(
        Array.from({ length: 2 }, () => draft()),
        limited,
      );
    await sendBatch(
      Array.from({ length: 100 }, () => draft()),
      limited,
    );
    await sendBatch(
      Array.from({ length: 100 }, () => draft()),
      limited,
    );
    await sendBatch(
      Array.from({ length: 99 }, () => draft()),
      limited,
    );
    const [accepted, rejected] = (await refusals()).body.message_statuses;
    expect(accepted?.status).toBe("queued");
    expect(rejected).toMatchObject({ status: "rejected", error: "RATE_LIMIT_EXCEEDED", code: 4004, limit: 300 });
    const single = await limited.send(recipient.address);
    expect(rejected?.reset_at).toBe(single.body["reset_at"]);
    expect(Math.abs((rejected?.retry_after ?? 0) - Number(single.body["retry_after"]))).toBeLessThanOrEqual(30);
    await recipient.ack(await queue());
  });

  it("stores a message that it holds twice only once, and accepts both copies", async () => {
    const one = draft();
    const { body } = await sendBatch([one, one]);
    expect(body.message_statuses.map(({ status }) => status)).toEqual(["queued", "queued"]);
    expect(await queue()).toEqual([one.message_id]);
    await recipient.ack(await queue());
  });

  it("may be as long as the operator allows", async () => {
    const node = await startRelay({ ...relay.config, batchLimit: 150 }, { clock: relay.clock });
    try {
      const { token } = await newDevice(node);
      const drafts = Array.from({ length: 151 }, () => draft());
      const send = (messages: unknown) => call(node, "sendMessageBatch", { token, body: { messages } });
      const longer = await send(drafts);
      expect([longer.status, longer.body.error]).toEqual([400, "INVALID_REQUEST"]);
      expect(demand(await send(drafts.slice(1))).body.accepted_count).toBe(150);
    } finally {
      await node.stop();
    }
    await recipient.ack(await queue());
  });

  it("is refused as a whole if its shape is wrong, and then stores nothing", async () => {
    const { sender_signature: _, ...unsigned } = draft();
    const shapes = [
      [draft(), unsigned],
      [draft(), draft({ timestamp: "1" })],
      [draft(), draft({ extra: 1 })],
      [draft(), 7],
      Array.from({ length: 101 }, () => draft()),
      {},
    ];
    for (const messages of shapes) {
      const answer = await sendBatch(messages);
      expect([answer.status, answer.body.error]).toEqual([400, "INVALID_REQUEST"]);
    }
    expect(await queue()).toEqual([]);
  });

  it("is accepted up to the sender's limit, and the rest is rejected", async () => {
    const poor = await newDevice(relay);
    for (let sent = 0; sent < 300; sent += 100) {
      const { body } = await sendBatch(
        Array.from({ length: sent === 200 ? 95 : 100 }, () => draft()),
        poor,
      );
      expect(body.rejected_count).toBe(0);
    }
    const { body } = await sendBatch(
      Array.from({ length: 10 }, () => draft()),
      poor,
    );
    expect([body.accepted_count, body.rejected_count]).toEqual([5, 5]);
    expect(body.message_statuses.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => "queued"),
      ...Array.from({ length: 5 }, () => "rejected"),
    ]);
    expect(body.message_statuses[9]).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", code: 4004 });
    expect(await queue()).toHaveLength(300);
  });
});
