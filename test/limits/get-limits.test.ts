import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { tryUpload } from "../infopackages/fixture.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { fetchPackage, newPackages, upload } from "../support/key-packages.js";
import { newBlob, openAddress, putBlob } from "../support/provisioning.js";
import { type LimitInHeaders, limitsOf } from "../support/rate-limit-headers.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const hour = 3600;
let relay: TestRelay;
let recipient: TestDevice;
let db: ReturnType<typeof createDatabase>;

beforeAll(async () => {
  relay = await startRelay({ seeds: { SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "1000" } });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  recipient = await newDevice(relay);
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const change = (device: TestDevice, columns: string, bindings: Record<string, unknown> = {}) =>
  db.rows(`update devices set ${columns} where device_id = :id`, { id: device.deviceId, ...bindings });

async function read(device: TestDevice, at = relay) {
  const { body } = demand(await call(at, "getLimits", { token: device.token }));
  return { ...body, byName: Object.fromEntries(body.limits.map(({ name, ...limit }) => [name, limit])) };
}

describe("the limits of a device", () => {
  it("are all there before anything is used, without an end", async () => {
    const device = await newDevice(relay);
    const { byName } = await read(device);
    expect(Object.keys(byName).sort()).toEqual([
      "announcements",
      "blob_bytes_day",
      "blob_storage",
      "blobs_hour",
      "info_package_uploads_day",
      "info_package_uploads_hour",
      "key_package_claims",
      "key_package_fetches",
      "key_package_uploads",
      "linking_blobs",
      "linking_codes",
      "messages",
      "misses",
      "new_addresses",
      "online_messages",
      "peer_slot_bytes_hour",
      "peer_slot_reads_minute",
      "peer_slots_hour",
      "push_confirmations_hour",
      "push_subscriptions_hour",
      "push_tests_hour",
      "slot_bytes_hour",
      "slot_storage",
      "slots_hour",
      "spam_reports_day",
      "spam_reports_hour",
    ]);
    expect(byName["messages"]).toEqual({ limit: 10, remaining: 10, window_seconds: hour, reset_at: null });
    expect(byName["key_package_fetches"]).toEqual({ limit: 100, remaining: 100, window_seconds: hour, reset_at: null });
    expect(byName["announcements"]).toMatchObject({ remaining: (byName["announcements"]?.limit ?? 0) - 1 });
    for (const limit of Object.values(byName)) expect(limit.remaining).toBeLessThanOrEqual(limit.limit);
  });

  it("fall with use and agree with the headers, and reading them counts nothing", async () => {
    const device = await newDevice(relay);
    const sent = demand(await device.send(recipient.address));
    const fetched = await upload(relay, recipient, { packages: newPackages(1) }).then(() =>
      fetchPackage(relay, device, recipient.deviceId),
    );
    const uploaded = await upload(relay, device, { packages: newPackages(2) });
    const stored = await tryUpload(relay, device, "sealed");
    const left = await putBlob(relay, device.token, (await openAddress(relay)).id, newBlob());
    const report = { message_id: sent.body.message_id, sender_id: recipient.deviceId, reason: "spam" };
    const reported = await call(relay, "reportSpam", { token: device.token, body: report });
    const answers = [sent, fetched, uploaded, stored, left, reported].map((answer) => limitsOf(demand(answer)));
    for (let i = 0; i < 3; i += 1) {
      const { byName, server_timestamp: now } = await read(device);
      for (const [name, { limit, remaining, windowSeconds, reset }] of Object.entries<LimitInHeaders>(
        Object.assign({}, ...answers),
      )) {
        if (name.endsWith("_of_device")) continue;
        expect([name, byName[name]]).toEqual([
          name,
          { limit, remaining, window_seconds: windowSeconds, reset_at: reset === undefined ? null : expect.anything() },
        ]);
        const resetAt = byName[name]?.reset_at ?? null;
        if (resetAt !== null) expect(resetAt).toBeGreaterThan(now);
      }
      expect(byName["messages"]?.remaining).toBe(9);
    }
  });

  it("begin again after their window; a part of the messages is carried over", async () => {
    const device = await newDevice(relay);
    for (let i = 0; i < 6; i += 1) demand(await device.send(recipient.address));
    const before = (await read(device)).byName["messages"];
    expect(before).toMatchObject({ limit: 10, remaining: 4 });
    relay.clock.advance(hour + 1);
    expect((await read(device)).byName["messages"]).toMatchObject({ limit: 14, remaining: 14, reset_at: null });
    const sent = demand(await device.send(recipient.address));
    expect(limitsOf(sent)["messages"]).toMatchObject({ limit: 14, remaining: 13 });
  });

  it("have the same names for a device that is blocked", async () => {
    const device = await newDevice(relay);
    const before = await read(device);
    await change(device, "blocked_at = 1");
    const blocked = await read(device);
    expect(Object.keys(blocked.byName).sort()).toEqual(Object.keys(before.byName).sort());
    expect(blocked.byName["misses"]).toEqual({ limit: 0, remaining: 0, window_seconds: hour, reset_at: null });
    expect(limitsOf(await device.send(recipient.address))).toMatchObject({ misses: { limit: 0, remaining: 0 } });
  });

  it("are 0 for a device that is blocked or banned", async () => {
    const device = await newDevice(relay);
    const until = relay.clock.nowSeconds() + 1_000;
    await change(device, "banned_until = :until::bigint", { until });
    const banned = await read(device);
    expect(banned.byName["messages"]).toEqual({ limit: 0, remaining: 0, window_seconds: hour, reset_at: until });
    expect(banned).toMatchObject({ trust_tier: "blocked", next_tier: "new", next_tier_at: until });
    await change(device, "blocked_at = 1, banned_until = null");
    const blocked = await read(device);
    expect(blocked.byName["messages"]).toMatchObject({ limit: 0, reset_at: null });
    expect([blocked.trust_tier, "next_tier" in blocked, "next_tier_at" in blocked]).toEqual(["blocked", false, false]);
  });

  it("do not name messages where those are not limited", async () => {
    const free = await startRelay({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
    try {
      const { byName } = await read(await newDevice(free), free);
      expect(["messages" in byName, "misses" in byName, "announcements" in byName]).toEqual([false, false, true]);
    } finally {
      await free.stop();
    }
  });

  it("are told to the device alone", async () => {
    const answer = await call(relay, "getLimits");
    expect([answer.status, answer.body.error]).toEqual([401, "INVALID_TOKEN"]);
    const device = await newDevice(relay);
    await db.run("delete from devices where device_id = :id", { id: device.deviceId });
    expect((await call(relay, "getLimits", { token: device.token })).status).toBe(401);
  });
});

describe("the trust tier", () => {
  it("comes with the time of the next one, at which it is reached", async () => {
    const device = await newDevice(relay);
    const fresh = await read(device);
    const registered = await db.one<{ at: number }>("select registered_at as at from devices where device_id = :id", {
      id: device.deviceId,
    });
    const at = registered?.at ?? 0;
    expect(fresh).toMatchObject({ trust_tier: "new", next_tier: "established", next_tier_at: at + 6 * hour });
    await change(device, `registered_at = registered_at - ${6 * hour}`);
    expect(await read(device)).toMatchObject({
      trust_tier: "established",
      next_tier: "trusted",
      next_tier_at: at + 18 * hour,
    });
    await change(device, `registered_at = registered_at - ${18 * hour}`);
    const trusted = await read(device);
    expect([trusted.trust_tier, "next_tier" in trusted]).toEqual(["trusted", false]);
    expect(trusted.byName["messages"]?.limit).toBe(300);
    expect(trusted.byName["key_package_fetches"]?.limit).toBe(300);
  });
});
