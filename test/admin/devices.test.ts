import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { adminKeys, logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { newPackages, upload } from "../support/key-packages.js";
import type { TestRelay } from "../support/relay.js";

let relay: TestRelay;
let admin: TestAdmin;
let moderator: TestAdmin;
let viewer: TestAdmin;
let db: Database;
const devices: TestDevice[] = [];

beforeAll(async () => {
  const others = [adminKeys("verify_devices"), adminKeys("view_metrics")] as const;
  ({ relay, admin } = await startAdministered({ adminList: others.map(({ seed }) => seed).join(",") }));
  [moderator, viewer] = [await logIn(relay, others[0]), await logIn(relay, others[1])];
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  for (let i = 0; i < 3; i++) {
    relay.clock.advance(10);
    devices.push(await newDevice(relay));
  }
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const deviceAt = (index: number): TestDevice => devices[index] as TestDevice;
const list = async (query: Record<string, string | number> = {}, { token } = admin) =>
  call(relay, "listDevices", { token, query });
const idsOf = async (query: Record<string, string | number>) =>
  demand(await list(query)).body.devices.map(({ device_id }) => device_id);
const act = (operation: "blockDevice" | "deleteDevice", id: string, { token } = admin) => {
  const body = operation === "blockDevice" ? { body: { reason: "floods" } } : {};
  return call(relay, operation, { token, params: { device_id: id }, ...body });
};
const auditOf = (action: string) =>
  db.rows<{ target: string; admin: string | null; details: object }>(
    "select target, admin, details from audit_entries where action = :action::text order by id",
    { action },
  );

describe("the list of devices", () => {
  test("comes in pages, in the order that is asked for", async () => {
    const registered = devices.map(({ deviceId }) => deviceId);
    expect(await idsOf({ sort: "registered_at" })).toEqual(registered);
    const first = demand(await list({ sort: "-registered_at", limit: 2 })).body;
    expect(first).toMatchObject({ has_more: true, next_offset: 2 });
    expect(first.devices.map(({ device_id }) => device_id)).toEqual([registered[2], registered[1]]);
    const second = demand(await list({ sort: "-registered_at", limit: 2, offset: 2 })).body;
    expect(second).toMatchObject({ has_more: false, next_offset: null, devices: [{ device_id: registered[0] }] });
  });

  test("finds devices by the beginning of their ids, and by an address", async () => {
    const { deviceId, address } = deviceAt(1);
    expect(await idsOf({ id_prefix: deviceId.slice(0, 20) })).toEqual([deviceId]);
    expect(await idsOf({ id_prefix: deviceId })).toEqual([deviceId]);
    expect(await idsOf({ address })).toEqual([deviceId]);
    expect(await idsOf({ address: `${"0".repeat(32)}@relay.test` })).toEqual([]);
    expect(await idsOf({ address: address.replace("relay.test", "elsewhere.example") })).toEqual([]);
    expect(await list({ address: "nonsense" })).toMatchObject({ status: 400, body: { error: "INVALID_ADDRESS" } });
    expect(await list({ id_prefix: "xyz" })).toMatchObject({ status: 400 });
  });

  test("is for administrators with verify_devices", async () => {
    expect((await list({}, moderator)).status).toBe(200);
    expect(await list({}, viewer)).toMatchObject({ status: 403, body: { error: "INSUFFICIENT_PERMISSIONS" } });
  });
});

describe("blocking a device", () => {
  test("keeps it from sending for good, with audit entries of the administrator: no request lifts it", async () => {
    const device = deviceAt(0);
    const { body } = demand(await act("blockDevice", device.publicKey, moderator));
    expect(body).toMatchObject({ device_id: device.deviceId, blocked_by: moderator.deviceId });
    await expect.poll(async () => (await device.send(deviceAt(1).address)).status).toBe(429);
    expect(await idsOf({ state: "blocked" })).toEqual([device.deviceId]);
    relay.clock.advance(100);
    const again: { blocked_at?: number } = demand(await act("blockDevice", device.deviceId)).body;
    expect(again.blocked_at).toBeLessThan(relay.clock.nowSeconds() - 50);
    const path = `${relay.url}/admin/v1/devices/${device.deviceId}/unblock`;
    const init = { method: "POST", headers: { authorization: `Bearer ${admin.token}` } };
    expect((await fetch(path, init)).status).toBe(404);
    await device.announce();
    expect((await device.poll()).status).toBe(200);
    expect((await device.send(deviceAt(1).address)).status).toBe(429);
    expect(await auditOf("device_blocked")).toMatchObject([
      { target: device.deviceId, admin: moderator.deviceId, details: { reason: "floods" } },
      { admin: admin.deviceId },
    ]);
  });

  test("needs a known device, a reason and the permission", async () => {
    const unknown = "0".repeat(64);
    for (const operation of ["blockDevice", "deleteDevice"] as const)
      expect(await act(operation, unknown)).toMatchObject({ status: 404, body: { error: "DEVICE_NOT_FOUND" } });
    const params = { device_id: deviceAt(0).deviceId };
    expect(await call(relay, "blockDevice", { token: admin.token, params, body: {} })).toMatchObject({ status: 400 });
    expect((await act("blockDevice", deviceAt(0).deviceId, viewer)).status).toBe(403);
  });
});

/** Everything in the database as text, without the audit log, which cannot be changed. */
async function everything(): Promise<string> {
  const tables = await db.rows<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'audit_entries'",
  );
  const texts = tables.map(async ({ name }) => {
    const found = await db.rows<{ row: string }>(`select t::text as row from ${name} as t`);
    return found.map(({ row }) => `${name} ${row}`).join("\n");
  });
  return (await Promise.all(texts)).join("\n");
}

describe("deleting a device", () => {
  test("removes all traces at once and ends its sessions; only `all` may", async () => {
    const device = await newDevice(relay);
    demand(await upload(relay, device, { packages: newPackages(2) }));
    demand(await deviceAt(1).send(device.address));
    expect((await act("deleteDevice", device.deviceId, moderator)).status).toBe(403);
    expect(demand(await act("deleteDevice", device.publicKey)).body).toMatchObject({ device_id: device.deviceId });
    await expect.poll(async () => (await device.send(deviceAt(1).address)).status).toBe(401);
    const prefix = (device.address.split("@")[0] ?? "").replaceAll("-", "");
    const dump = (await everything()).replaceAll("-", "");
    for (const trace of [device.publicKey, prefix]) expect(dump).not.toContain(trace);
    // What is left of the id is the end of its sessions, until no token of it can be alive.
    const lines = dump.split("\n").filter((line) => line.includes(device.deviceId));
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["session_cutoffs"]);
    expect(await auditOf("device_deleted")).toMatchObject([
      { target: device.deviceId.slice(0, 8), admin: admin.deviceId },
    ]);
    expect(await act("deleteDevice", device.deviceId)).toMatchObject({ status: 404 });
  });
});
