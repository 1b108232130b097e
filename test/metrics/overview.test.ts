import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interfaceVersion } from "../../generated/routes.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { mayIdle } from "../support/held-transaction.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";

const hour = 3600;
const day = 24 * hour;
let relay: TestRelay;
let admin: TestAdmin;
let db: Database;

async function metrics(period?: "1h" | "24h" | "7d" | "30d") {
  const query = period === undefined ? {} : { period };
  return demand(await call(relay, "getMetrics", { token: admin.token, query })).body;
}

beforeAll(async () => {
  ({ relay, admin } = await startAdministered({
    seeds: { SEED_STORAGE_METADATA_RETENTION_DAYS: "90" },
  }));
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

describe("the overview", () => {
  let alice: TestDevice;
  let bob: TestDevice;

  it("shows an empty server as empty, and what it runs on", async () => {
    const found = await metrics();
    expect(found.period).toBe("24h");
    expect(found.timestamp).toBeGreaterThanOrEqual(found.counted_at);
    expect(found.devices).toEqual({
      ...{ total: 0, active_last_24h: 0, new_last_24h: 0, verified: 0, blocked: 0 },
      by_trust_tier: { new: 0, established: 0, trusted: 0, verified: 0 },
    });
    expect(found.messages).toEqual({
      ...{ sent_last_24h: 0, received_last_24h: 0, queued: 0, expired_last_24h: 0 },
      average_size_bytes: null,
    });
    expect(found.performance).toEqual({
      ...{ average_delivery_latency_ms: null, p95_delivery_latency_ms: null, p99_delivery_latency_ms: null },
      websocket_connections: 0,
    });
    expect(found.server.nodes).toBe(1);
    expect(found.server.version).toBe(interfaceVersion);
    expect(found.server.software_version).toMatch(/^\d+\.\d+\.\d+/);
    expect(found.server.memory_usage_mb).toBeGreaterThan(20);
    expect(found.server.storage_used_gb).toBeGreaterThan(0.005);
    expect(found.server.cpu_usage_percent).toBeGreaterThan(0);
  });

  it("counts devices by what they are", async () => {
    [alice, bob] = [await newDevice(relay), await newDevice(relay)];
    const others = await Promise.all(Array.from({ length: 5 }, () => newDevice(relay)));
    const [verified, blocked, banned, established, trusted] = others.map(({ deviceId }) => deviceId);
    demand(
      await call(relay, "verifyDevice", { token: admin.token, body: { device_id: verified, reason: "a known bot" } }),
    );
    const now = relay.clock.nowSeconds();
    const set = (deviceId: string | undefined, column: string, value: number) =>
      db.rows(`update devices set ${column} = :value where device_id = :deviceId`, { deviceId, value });
    await set(blocked, "blocked_at", now);
    await set(banned, "banned_until", now + hour);
    await set(established, "registered_at", now - 7 * hour);
    await set(trusted, "registered_at", now - 25 * hour);
    await set(trusted, "last_active", now - 25 * hour);
    expect((await metrics()).devices).toEqual({
      ...{ total: 7, active_last_24h: 6, new_last_24h: 6, verified: 1, blocked: 2 },
      by_trust_tier: { new: 2, established: 1, trusted: 1, verified: 1 },
    });
  });

  it("counts messages, their size and how long they waited, at once", async () => {
    for (let i = 0; i < 4; i++) demand(await alice.send(bob.address, { ciphertext: new Uint8Array(100 + i * 100) }));
    expect((await metrics()).messages).toEqual({
      ...{ sent_last_24h: 4, received_last_24h: 4, queued: 4, expired_last_24h: 0 },
      average_size_bytes: 250,
    });
    relay.clock.advance(10);
    const { messages } = demand(await bob.poll()).body;
    await bob.ack(messages.slice(0, 3).map(({ message_id }) => message_id));
    const found = await metrics();
    expect(found.messages.queued).toBe(1);
    const { average_delivery_latency_ms: average, p95_delivery_latency_ms: p95 } = found.performance;
    expect(average).toBeGreaterThanOrEqual(10_000);
    expect(average).toBeLessThan(15_000);
    expect(p95).toBeGreaterThan(8_000);
    expect(p95).toBeLessThan(20_000);
  });

  it("counts refused requests and refused messages of batches", async () => {
    const carol = await newDevice(relay);
    const messages = Array.from({ length: 12 }, () => message(relay, bob.address));
    const batch = await call(relay, "sendMessageBatch", { token: carol.token, body: { messages } });
    expect(batch.body.rejected_count).toBe(2);
    expect((await carol.send(bob.address)).status).toBe(429);
    for (let i = 0; i < 3; i++) await carol.announce().catch(() => undefined);
    const announcements = await call(relay, "announceWithProof", { body: {} });
    expect(announcements.status).toBe(400);
    const { rate_limited_requests_last_24h: limited } = (await metrics()).spam;
    // Two of the batch, the single one, and one announcement beyond three an hour.
    expect(limited).toBe(4);
  });

  it("counts open streams", async () => {
    const stream = await openDeviceStream(relay.url, alice.token);
    expect((await metrics()).performance.websocket_connections).toBe(1);
    await stream.close();
    await expect.poll(async () => (await metrics()).performance.websocket_connections).toBe(0);
  });

  it("lets the period govern sizes and latencies, and nothing else", async () => {
    const [before, before1h] = [await metrics("24h"), await metrics("1h")];
    expect(before1h.messages.average_size_bytes).toBe(before.messages.average_size_bytes);
    relay.clock.advance(2 * hour);
    admin = await logIn(relay, admin);
    const [lastHour, lastDay] = [await metrics("1h"), await metrics("7d")];
    expect(lastHour.messages.average_size_bytes).toBeNull();
    expect(lastHour.performance.p99_delivery_latency_ms).toBeNull();
    expect(lastHour.messages.sent_last_24h).toBe(before.messages.sent_last_24h);
    expect(lastDay.messages.average_size_bytes).toBe(before.messages.average_size_bytes);
    expect(lastDay.performance.average_delivery_latency_ms).toBe(before.performance.average_delivery_latency_ms);
  });

  it("forgets what is older than 24 hours, and counts what expires", async () => {
    relay.clock.advance(31 * day);
    admin = await logIn(relay, admin);
    await expect.poll(async () => (await metrics()).messages.expired_last_24h).toBe(11);
    const found = await metrics();
    expect(found.messages).toMatchObject({ sent_last_24h: 0, received_last_24h: 0, queued: 0 });
    expect(found.spam.rate_limited_requests_last_24h).toBe(0);
    expect(found.devices).toMatchObject({ total: 8, new_last_24h: 0 });
  });
});

describe("two nodes", () => {
  it("answer with the figures of both", async () => {
    const second = await startRelay({ ...relay.config, metricsFlushSeconds: 1 }, { clock: relay.clock });
    try {
      const device = await newDevice(second);
      const stream = await openDeviceStream(second.url, device.token);
      demand(await device.send(device.address));
      await expect.poll(async () => (await metrics()).messages.sent_last_24h).toBe(1);
      await expect.poll(async () => (await metrics()).performance.websocket_connections).toBe(1);
      const found = await metrics();
      expect(found.server.nodes).toBe(2);
      expect(found.devices.total).toBe(9);
      await stream.close();
    } finally {
      await second.stop();
    }
    await expect.poll(async () => (await metrics()).server.nodes).toBe(1);
  });
});

it("a count begins after it is asked for, also while an earlier one is not done", async () => {
  const { total } = (await metrics()).devices;
  let counts: Promise<Awaited<ReturnType<typeof metrics>>[]> | undefined;
  await db.transaction(async (at) => {
    await mayIdle(at);
    await at.run("lock table federation_blocks in access exclusive mode");
    const earlier = metrics();
    const waiting = "select 1 from pg_locks where relation = 'federation_blocks'::regclass and not granted";
    await expect.poll(() => at.rows(waiting)).toHaveLength(1);
    await newDevice(relay);
    const later = metrics();
    // By then it has come to the relay, or it would pass in any case.
    await new Promise((resolve) => setTimeout(resolve, 500));
    counts = Promise.all([earlier, later]);
  });
  expect((await counts)?.[1]?.devices.total).toBe(total + 1);
});
