import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { expectDuring, timed } from "../support/during.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const hour = 3600;
const nowhere = `${"0".repeat(32)}@relay.test`;

let relay: TestRelay;
let recipient: TestDevice;
let db: ReturnType<typeof createDatabase>;

beforeAll(async () => {
  // The tests advance the clock by hours; the recipient's address must outlive them.
  relay = await startRelay({ seeds: { SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "1000" } });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  recipient = await newDevice(relay);
});

afterEach(async () => {
  const { body } = demand(await recipient.poll({ limit: 1000 }));
  await recipient.ack(body.messages.map((one) => one.message_id));
});

afterAll(async () => {
  await db.close();
  await relay.stop();
});

type Sent = Awaited<ReturnType<TestDevice["send"]>>;

async function send(device: TestDevice, count: number, to = recipient.address): Promise<Sent[]> {
  const answers: Sent[] = [];
  for (let i = 0; i < count; i++) answers.push(await device.send(to));
  return answers;
}
/** Sends this many messages at once and returns how many were accepted. */
async function accepted(device: TestDevice, count: number): Promise<number> {
  let sum = 0;
  for (let left = count; left > 0; left -= 100) {
    const messages = Array.from({ length: Math.min(left, 100) }, () => message(relay, recipient.address));
    const { body } = demand(await call(relay, "sendMessageBatch", { token: device.token, body: { messages } }));
    sum += body.accepted_count;
  }
  return sum;
}
const change = (device: TestDevice, columns: string, bindings: Record<string, unknown> = {}) =>
  db.rows(`update devices set ${columns} where device_id = :id`, { id: device.deviceId, ...bindings });

/** Makes a device of this age that is ready to send. */
async function aged(hours: number): Promise<TestDevice> {
  const device = await newDevice(relay);
  await change(device, "registered_at = registered_at - :seconds::bigint", { seconds: hours * hour });
  return device;
}

describe("the limit of a device", () => {
  it.each([
    ["New", 0, 10],
    ["Established", 6, 60],
    ["Trusted", 24, 300],
  ])("is that of its tier: %s", async (_, hours, limit) => {
    const device = await aged(hours);
    expect(await accepted(device, limit)).toBe(limit);
    const refused = await device.send(recipient.address);
    expect([refused.status, refused.body.error, refused.body.code]).toEqual([429, "RATE_LIMIT_EXCEEDED", 4004]);
    expect(refused.body["limit"]).toBe(limit);
  });

  it("counts in a fixed window from the first message; the answer says when it ends", async () => {
    const device = await newDevice(relay);
    relay.clock.advance(1000);
    const sending = await timed(relay.clock, () => accepted(device, 10));
    const refusing = await timed(relay.clock, () => device.send(recipient.address));
    const refused = refusing.result;
    const resetAt = refused.body["reset_at"] as number;
    expectDuring(resetAt, sending, hour);
    const wait = refused.body["retry_after"] as number;
    expectDuring(resetAt, refusing, wait);
    expect(refused.headers.get("retry-after")).toBe(String(wait));
    relay.clock.advance(wait - 2);
    expect((await device.send(recipient.address)).status).toBe(429);
    relay.clock.advance(3);
    expect((await device.send(recipient.address)).status).toBe(202);
  });

  it("is shared by all addresses and recipients of a device", async () => {
    const [device, other] = [await newDevice(relay), await newDevice(relay)];
    await device.announce();
    expect(await accepted(device, 5)).toBe(5);
    expect((await send(device, 5, other.address)).every(({ status }) => status === 202)).toBe(true);
    expect((await device.send(other.address)).status).toBe(429);
  });

  it("lets a verified device send as many as a trusted one at once", async () => {
    const device = await newDevice(relay);
    expect(await accepted(device, 11)).toBe(10);
    await change(device, "admin_verified = true");
    expect(await accepted(device, 291)).toBe(290);
  });

  it("is a custom one if it is set, until it ends", async () => {
    const device = await aged(24);
    await change(device, "custom_limit = 3, custom_limit_expires_at = :until", {
      until: relay.clock.nowSeconds() + 600,
    });
    expect(await accepted(device, 4)).toBe(3);
    expect((await device.send(recipient.address)).body["limit"]).toBe(3);
    relay.clock.advance(601);
    expect(await accepted(device, 298)).toBe(297);
  });

  it("of zero refuses everything", async () => {
    const device = await aged(24);
    await change(device, "custom_limit = 0");
    const refused = await device.send(recipient.address);
    expect([refused.status, refused.body["limit"], refused.body["reset_at"]]).toEqual([429, 0, null]);
  });
});

describe("a blocked or banned device", () => {
  it("is refused with limit 0, whatever its other limits are", async () => {
    const device = await aged(24);
    await change(device, "blocked_at = 1, admin_verified = true, custom_limit = 100");
    const refused = await device.send(recipient.address);
    expect([refused.status, refused.body.error]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect([refused.body["limit"], refused.body["reset_at"]]).toEqual([0, null]);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await device.send(nowhere)).status).toBe(429);
  });

  it("learns the end of a ban, and may send after it", async () => {
    const device = await newDevice(relay);
    const until = relay.clock.nowSeconds() + 1000;
    await change(device, "banned_until = :until", { until });
    const refused = await device.send(recipient.address);
    expect([refused.status, refused.body["limit"], refused.body["reset_at"]]).toEqual([429, 0, until]);
    relay.clock.advance(1001);
    expect((await device.send(recipient.address)).status).toBe(202);
  });

  it("may still poll and acknowledge", async () => {
    const device = await newDevice(relay);
    const { body } = demand(await recipient.send(device.address));
    await change(device, "blocked_at = 1");
    expect(demand(await device.poll()).body.messages).toHaveLength(1);
    expect((await device.ack([body.message_id])).body.acknowledged_count).toBe(1);
  });
});

describe("the unused part of a window", () => {
  it("is carried over into the next one, up to the burst allowance", async () => {
    const device = await aged(6);
    await accepted(device, 45);
    relay.clock.advance(hour + 1);
    expect(await accepted(device, 75)).toBe(70);
    expect((await device.send(recipient.address)).body["limit"]).toBe(70);
  });

  it("does not exist for a device's first window, nor after a window that was used up", async () => {
    const device = await newDevice(relay);
    expect(await accepted(device, 12)).toBe(10);
    relay.clock.advance(hour + 1);
    expect(await accepted(device, 12)).toBe(10);
  });

  it("is not carried over by custom limits", async () => {
    const device = await aged(24);
    await change(device, "custom_limit = 5");
    expect(await accepted(device, 1)).toBe(1);
    relay.clock.advance(hour + 1);
    expect(await accepted(device, 7)).toBe(5);
  });
});

describe("not counted against the limit", () => {
  it("are messages that were refused for another reason", async () => {
    const device = await newDevice(relay);
    await send(device, 5, nowhere);
    await call(relay, "sendMessage", {
      token: device.token,
      body: { ...message(relay, recipient.address), mls_ciphertext: "AAB=" },
    });
    expect(await accepted(device, 11)).toBe(10);
  });

  it("are repetitions, even when the limit is used up", async () => {
    const device = await newDevice(relay);
    const body = message(relay, recipient.address);
    const repeat = () => call(relay, "sendMessage", { token: device.token, body });
    for (let i = 0; i < 5; i++) expect((await repeat()).status).toBe(202);
    expect(await accepted(device, 10)).toBe(9);
    expect((await repeat()).status).toBe(202);
  });

  it("are messages refused by the limit, which may be sent later under the same id", async () => {
    const device = await newDevice(relay);
    await accepted(device, 10);
    const body = message(relay, recipient.address);
    const repeat = () => call(relay, "sendMessage", { token: device.token, body });
    for (let i = 0; i < 3; i++) expect((await repeat()).status).toBe(429);
    relay.clock.advance(hour + 1);
    expect((await repeat()).status).toBe(202);
    const ids = demand(await recipient.poll({ limit: 100 })).body.messages.map((one) => one.message_id);
    expect(ids.filter((id) => id === body.message_id)).toHaveLength(1);
  });
});

describe("repetitions and unknown recipients", () => {
  it("have a window of their own, three times the limit", async () => {
    const device = await newDevice(relay);
    const body = message(relay, recipient.address);
    const repeat = () => call(relay, "sendMessage", { token: device.token, body });
    await repeat();
    for (let i = 0; i < 15; i++) expect((await repeat()).status).toBe(202);
    for (const { status } of await send(device, 15, nowhere)) expect(status).toBe(404);
    for (const refused of [await repeat(), await device.send(nowhere)]) {
      expect([refused.status, refused.body["limit"]]).toEqual([429, 30]);
    }
    expect(await accepted(device, 9)).toBe(9);
    relay.clock.advance(hour + 1);
    expect((await device.send(nowhere)).status).toBe(404);
  });
});

describe("many requests of one device at once on two nodes", () => {
  it("are counted exactly", async () => {
    const second = await startRelay(relay.config, { clock: relay.clock });
    try {
      const devices = [await newDevice(relay), await aged(6)];
      for (const [i, limit] of [10, 60].entries()) {
        const device = devices[i] as TestDevice;
        const answers = await Promise.all(
          Array.from({ length: limit + 40 }, (_, n) =>
            call(n % 2 === 0 ? relay : second, "sendMessage", {
              token: device.token,
              body: message(relay, recipient.address),
            }),
          ),
        );
        const statuses = answers.map(({ status }) => status);
        expect(statuses.filter((status) => status === 202)).toHaveLength(limit);
        expect(statuses.filter((status) => status === 429)).toHaveLength(40);
      }
      expect(demand(await recipient.poll({ limit: 1000 })).body.messages).toHaveLength(70);
    } finally {
      await second.stop();
    }
  });
});
