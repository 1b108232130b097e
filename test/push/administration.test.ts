import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPushService, type TestPushService } from "../../scripts/push-service/push-service.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { adminKeys, logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, newDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { newSleepingDevice, subscribe, vapidKeyOf, withoutJitter } from "./sleeping.js";

let service: TestPushService;
let relay: TestRelay;
let moderator: TestAdmin;
let viewer: TestAdmin;
let db: Database;

beforeAll(async () => {
  service = await startPushService();
  const others = [adminKeys("verify_devices"), adminKeys("view_metrics")] as const;
  const adminList = others.map(({ seed }) => seed).join(",");
  ({ relay } = await startAdministered({ ...service.config, ...withoutJitter, adminList, pushTestsPerHour: 3 }));
  [moderator, viewer] = [await logIn(relay, others[0]), await logIn(relay, others[1])];
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
  expect(service.faults).toEqual([]);
  await service.stop();
});

const tryOut = (deviceId: string, { token } = moderator) =>
  call(relay, "testDevicePush", { token, params: { device_id: deviceId } });
const errorOf = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error];

describe("an administrator tries a device's push subscription", () => {
  test("and learns what the push service said, and the audit log has it", async () => {
    const device = await newSleepingDevice(relay, service);
    expect(demand(await tryOut(device.deviceId)).body).toEqual({ status_class: "2xx", retry_after: null });
    expect(device.subscription.received.at(-1)?.content).toEqual({ type: "test" });
    service.answer = () => ({ status: 503, headers: { "Retry-After": "120" } });
    expect(demand(await tryOut(device.deviceId)).body).toEqual({ status_class: "5xx", retry_after: 120 });
    service.answer = () => ({ status: 410 });
    expect(demand(await tryOut(device.deviceId)).body).toEqual({ status_class: "4xx", retry_after: null });
    service.answer = () => undefined;
    const { status } = await call(relay, "getPushSubscription", { token: device.token });
    expect(status).toBe(404);
    const entries = await db.rows<{ admin: string; details: object }>(
      "select admin, details from audit_entries where action = 'device_push_tested' and target = :id::text order by id",
      { id: device.deviceId },
    );
    const details = ["2xx", "5xx", "4xx"].map((status_class) => ({ status_class }));
    expect(entries).toEqual(details.map((one) => ({ admin: moderator.deviceId, details: one })));
  });

  test("within the limit of the device's own tests, and only where there is one that is confirmed", async () => {
    const device = await newSleepingDevice(relay, service);
    for (let n = 0; n < 2; n++) demand(await tryOut(device.deviceId));
    demand(await call(relay, "testPushSubscription", { token: device.token }));
    expect(errorOf(await tryOut(device.deviceId))).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    const other = await newDevice(relay);
    expect(errorOf(await tryOut(other.deviceId))).toEqual([404, "NOT_FOUND"]);
    demand(await subscribe(relay, other, service.subscribe(await vapidKeyOf(relay))));
    expect(errorOf(await tryOut(other.deviceId))).toEqual([409, "CONFLICT"]);
    expect(errorOf(await tryOut("ab".repeat(32)))).toEqual([404, "DEVICE_NOT_FOUND"]);
  });

  test("with the permission for devices only", async () => {
    const device = await newSleepingDevice(relay, service);
    const before = device.subscription.received.length;
    expect(errorOf(await tryOut(device.deviceId, viewer))).toEqual([403, "INSUFFICIENT_PERMISSIONS"]);
    expect(errorOf(await tryOut(device.deviceId, device as never))).toEqual([401, "INVALID_TOKEN"]);
    expect(device.subscription.received).toHaveLength(before);
  });
});
