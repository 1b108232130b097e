import { afterAll, beforeAll, expect, test } from "vitest";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand, newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

// This replica has stood still since before the first device and the first entry, so what comes from it can be told apart.
let replica: TestDatabase;
let relay: TestRelay;
let admin: TestAdmin;
beforeAll(async () => {
  replica = await createTestDatabase();
  ({ relay, admin } = await startAdministered({ readDatabaseUrl: replica.url }));
});
afterAll(async () => {
  await relay.stop();
  await replica.drop();
});

async function shown() {
  const { token } = admin;
  const [audit, metrics, listed] = await Promise.all([
    call(relay, "listAuditEntries", { token }),
    call(relay, "getMetrics", { token }),
    call(relay, "listDevices", { token }),
  ]);
  return {
    entries: demand(audit).body.total_count,
    counted: demand(metrics).body.devices.total,
    listed: demand(listed).body.devices.length,
  };
}

test("metrics and the audit log are read from READ_DATABASE_URL, and from DATABASE_URL where that fails", async () => {
  // A replica that has no key yet lags.
  const device = await newDevice(relay);
  expect((await device.send(device.address)).status).toBe(202);
  expect(await shown()).toEqual({ entries: 0, counted: 0, listed: 1 });
  await replica.drop();
  const { entries, ...others } = await shown();
  expect(entries).toBeGreaterThan(0);
  expect(others).toEqual({ counted: 1, listed: 1 });
  expect((await device.send(device.address)).status).toBe(202);
});

test("a start is refused if READ_DATABASE_URL names the database of another relay, or an empty one", async () => {
  const other = await startRelay({ domain: "relay.test" });
  const empty = await createTestDatabase({ empty: true });
  try {
    for (const readDatabaseUrl of [other.databaseUrl, empty.url])
      await expect(startRelay({ readDatabaseUrl })).rejects.toThrow("READ_DATABASE_URL names no replica");
  } finally {
    await other.stop();
    await empty.drop();
  }
});
