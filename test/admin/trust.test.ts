import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";

let relay: TestRelay;
let admin: TestAdmin;
let db: Database;

beforeAll(async () => {
  ({ relay, admin } = await startAdministered({ adminTokenSeconds: 86_400 }));
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const unknown = "ab".repeat(32);
const verify = (device_id: string, reason = "known in person") =>
  call(relay, "verifyDevice", { token: admin.token, body: { device_id, reason } });
const revoke = (device_id: string) =>
  call(relay, "revokeVerification", { token: admin.token, body: { device_id, reason: "sold" } });
const limit = (device_id: string, custom_rate_limit: number | null, more: object = {}) =>
  call(relay, "setRateLimit", {
    token: admin.token,
    body: { device_id, custom_rate_limit, reason: "large group", ...more },
  });
const detail = async (device_id: string) =>
  (await call(relay, "getDevice", { token: admin.token, params: { device_id } })).body;
const block = (deviceId: string) => tableOf(db, "devices").where({ device_id: deviceId }).update({ blocked_at: 1 });
const lastEntry = () => tableOf(db, "audit_entries").orderBy("id", "desc").first();
/** How many messages the device may still send, by sending that many. */
const sendUntilRefused = async (from: TestDevice, max: number) => {
  const to = await newDevice(relay);
  for (let sent = 0; sent < max; sent++) {
    const { status } = await from.send(to.address);
    if (status === 429) return sent;
    expect(status).toBe(202);
  }
  return max;
};

describe("verifying a device", () => {
  test("raises its limit at once, and records by whom and when", async () => {
    const device = await newDevice(relay);
    expect(await sendUntilRefused(device, 12)).toBe(10);
    const { status, body } = await verify(device.deviceId);
    expect(status).toBe(200);
    expect(body).toEqual({
      device_id: device.deviceId,
      trust_tier: "verified",
      rate_limit: 300,
      verified_at: expect.any(Number),
      verified_by: admin.deviceId,
    });
    expect(await sendUntilRefused(device, 15)).toBe(15);
    expect(await detail(device.deviceId)).toMatchObject({
      trust_tier: "verified",
      admin_verified: true,
      verified_at: body.verified_at,
      verified_by: admin.deviceId,
      rate_limiting: { current_limit: 300 },
    });
    expect(await lastEntry()).toMatchObject({
      action: "device_verified",
      admin: admin.deviceId,
      target: device.deviceId,
      details: { reason: "known in person" },
      ip_address: "127.0.0.1",
    });
  });

  test("accepts its public key, and returns the id", async () => {
    const device = await newDevice(relay);
    expect((await verify(device.publicKey.toUpperCase())).body.device_id).toBe(device.deviceId);
  });

  test("that is unknown is DEVICE_NOT_FOUND", async () => {
    const { status, body } = await verify(unknown);
    expect([status, body.error, body.code]).toEqual([404, "DEVICE_NOT_FOUND", 4014]);
  });

  test("that is blocked or banned is CONFLICT and changes nothing; after the ban it succeeds", async () => {
    const [blocked, banned] = [await newDevice(relay), await newDevice(relay)];
    await block(blocked.deviceId);
    const bannedUntil = relay.clock.nowSeconds() + 60;
    await tableOf(db, "devices").where({ device_id: banned.deviceId }).update({ banned_until: bannedUntil });
    const before = await lastEntry();
    for (const { deviceId } of [blocked, banned]) {
      const { status, body } = await verify(deviceId);
      expect([status, body.error, body.code]).toEqual([409, "CONFLICT", 4028]);
      expect(await detail(deviceId)).toMatchObject({ admin_verified: false, trust_tier: "blocked" });
    }
    expect(await lastEntry()).toEqual(before);
    relay.clock.advance(61);
    expect((await verify(banned.deviceId)).status).toBe(200);
  });

  test("in bulk decides about each separately, in order", async () => {
    const [one, two, blocked] = [await newDevice(relay), await newDevice(relay), await newDevice(relay)];
    await block(blocked.deviceId);
    const ids = [one.deviceId, unknown, blocked.deviceId, two.publicKey];
    const devices = ids.map((device_id) => ({ device_id, reason: "known in person" }));
    const { status, body } = await call(relay, "verifyDevices", { token: admin.token, body: { devices } });
    expect(status).toBe(200);
    expect([body.verified_count, body.failed_count]).toEqual([2, 2]);
    expect(body.results).toMatchObject([
      { device_id: one.deviceId, success: true, verified_at: expect.any(Number) },
      { device_id: unknown, success: false, verified_at: null, error: "DEVICE_NOT_FOUND", code: 4014 },
      { device_id: blocked.deviceId, success: false, verified_at: null, error: "CONFLICT", code: 4028 },
      { device_id: two.publicKey, success: true },
    ]);
    expect((await detail(two.deviceId)).trust_tier).toBe("verified");
    const entries = await tableOf(db, "audit_entries")
      .where({ action: "device_verified" })
      .orderBy("id", "desc")
      .limit(2);
    expect(entries.map(({ target }) => target)).toEqual([two.deviceId, one.deviceId]);
    const none = await call(relay, "verifyDevices", { token: admin.token, body: { devices: [] } });
    expect([none.status, none.body.error]).toEqual([400, "INVALID_REQUEST"]);
  });
});

describe("verifying a list of members", () => {
  const verifyAll = (devices: unknown[]) => call(relay, "verifyDevices", { token: admin.token, body: { devices } });

  test("with long reasons answers for each of them, and is refused for more than a thousand", async () => {
    const device = await newDevice(relay);
    const ids = [...Array.from({ length: 149 }, (_, i) => i.toString(16).padStart(64, "0")), device.deviceId];
    const devices = ids.map((device_id) => ({ device_id, reason: "known in person ".repeat(30) }));
    const { body } = demand(await verifyAll(devices));
    expect([body.verified_count, body.failed_count, body.results.length]).toEqual([1, 149, 150]);
    const [first] = devices;
    const more = await verifyAll(Array.from({ length: 1001 }, () => ({ ...first, reason: "known" })));
    expect([more.status, more.body.error]).toEqual([400, "INVALID_REQUEST"]);
  });
});

describe("revoking a verification", () => {
  test("returns the device to the tier of its age", async () => {
    const device = await newDevice(relay);
    await verify(device.deviceId);
    const { status, body } = await revoke(device.deviceId);
    expect(status).toBe(200);
    expect(body).toMatchObject({ device_id: device.deviceId, trust_tier: "new", rate_limit: 10 });
    expect(body.revoked_by).toBe(admin.deviceId);
    expect(await detail(device.deviceId)).toMatchObject({
      admin_verified: false,
      verified_at: null,
      verified_by: null,
    });
    expect(await lastEntry()).toMatchObject({ action: "verification_revoked", target: device.deviceId });
    const again = await revoke(device.deviceId);
    expect([again.status, again.body.error]).toEqual([409, "CONFLICT"]);
    expect((await revoke(unknown)).body.error).toBe("DEVICE_NOT_FOUND");
  });
});

describe("a custom limit of a device", () => {
  test("overrides its tier until it ends", async () => {
    const device = await newDevice(relay);
    const expires_at = relay.clock.nowSeconds() + 7200;
    const { status, body } = await limit(device.deviceId, 2, { expires_at });
    expect(status).toBe(200);
    expect(body).toEqual({
      device_id: device.deviceId,
      rate_limit: 2,
      custom_limit_set_at: expect.any(Number),
      custom_limit_expires_at: expires_at,
      set_by: admin.deviceId,
    });
    expect(await sendUntilRefused(device, 5)).toBe(2);
    const limited = await detail(device.deviceId);
    expect(limited.rate_limiting).toMatchObject({
      current_limit: 2,
      messages_this_hour: 2,
      custom_limit: 2,
      custom_limit_expires_at: expires_at,
    });
    relay.clock.advance(7201);
    expect(await sendUntilRefused(device, 12)).toBe(10);
    expect((await detail(device.deviceId)).rate_limiting).toMatchObject({ current_limit: 10, custom_limit: null });
    expect(await lastEntry()).toMatchObject({
      action: "rate_limit_modified",
      target: device.deviceId,
      details: { reason: "large group", custom_rate_limit: 2, expires_at },
    });
  });

  test("may be zero, and is removed by null", async () => {
    const device = await newDevice(relay);
    expect((await limit(device.deviceId, 0, { expires_at: null })).body.custom_limit_expires_at).toBeNull();
    expect(await sendUntilRefused(device, 1)).toBe(0);
    expect((await limit(device.deviceId, null)).body).toMatchObject({ rate_limit: 10, custom_limit_expires_at: null });
    expect(await sendUntilRefused(device, 11)).toBe(10);
  });

  test("does not lift a block", async () => {
    const device = await newDevice(relay);
    await block(device.deviceId);
    expect((await limit(device.deviceId, 500)).status).toBe(200);
    expect(await sendUntilRefused(device, 1)).toBe(0);
    expect((await detail(device.deviceId)).rate_limiting).toMatchObject({ current_limit: 0, custom_limit: 500 });
  });

  test.each([-1, 1001, 100_000])("of %d is INVALID_CONFIG with code 4012 and changes nothing", async (wrong) => {
    const device = await newDevice(relay);
    const { status, body } = await limit(device.deviceId, wrong);
    expect([status, body.error, body.code]).toEqual([400, "INVALID_CONFIG", 4012]);
    expect((await detail(device.deviceId)).rate_limiting.custom_limit).toBeNull();
  });

  test("with an end in the past, or of another type, is INVALID_REQUEST; of an unknown device DEVICE_NOT_FOUND", async () => {
    const { deviceId } = await newDevice(relay);
    expect((await limit(deviceId, 5, { expires_at: relay.clock.nowSeconds() - 1 })).body.code).toBe(4000);
    expect((await limit(deviceId, 5, { expires_at: "tomorrow" })).body.code).toBe(4000);
    expect((await limit(deviceId, 5.5)).body.code).toBe(4000);
    expect((await limit(unknown, 5)).body.code).toBe(4014);
  });
});

describe("the details of a device", () => {
  test("contain everything that the specification names", async () => {
    const [device, to] = [await newDevice(relay), await newDevice(relay)];
    await device.send(to.address);
    await to.send(device.address);
    relay.clock.advance(1800);
    expect(await detail(device.deviceId)).toEqual({
      device_id: device.deviceId,
      registered_at: expect.any(Number),
      age_hours: 0.5,
      spam: { counted_reporters: 0, score: 0, warning: false },
      trust_tier: "new",
      admin_verified: false,
      verified_at: null,
      verified_by: null,
      blocked_at: null,
      banned_until: null,
      metrics: {
        messages_sent: 1,
        messages_received: 1,
        spam_reports: 0,
        spam_reports_by_device: 0,
        last_active: expect.any(Number),
      },
      rate_limiting: {
        current_limit: 10,
        messages_this_hour: 1,
        reset_at: expect.any(Number),
        custom_limit: null,
        custom_limit_expires_at: null,
      },
      federation: { domains_contacted: [], federated_messages_sent: 0, federated_messages_received: 0 },
    });
    relay.clock.advance(1801);
    expect((await detail(device.publicKey)).rate_limiting).toMatchObject({ messages_this_hour: 0, reset_at: null });
    relay.clock.advance(6 * 3600);
    expect(await detail(device.deviceId)).toMatchObject({ trust_tier: "established", age_hours: 7 });
  });

  test("are not found for an unregistered device, and a malformed id is refused", async () => {
    const read = (device_id: string) => call(relay, "getDevice", { token: admin.token, params: { device_id } });
    expect((await read(unknown)).body.error).toBe("DEVICE_NOT_FOUND");
    expect((await read("xyz")).body.error).toBe("INVALID_REQUEST");
  });
});
