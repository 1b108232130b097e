import { afterAll, beforeAll, expect, it } from "vitest";
import { type Route, routes } from "../../generated/routes.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import type { AnyRow } from "../support/any-row.js";
import { call } from "../support/api.js";
import { newDevice } from "../support/device.js";
import { mayIdle } from "../support/held-transaction.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

const day = 86_400;
const operations = (Object.keys(routes) as (keyof typeof routes)[]).filter((id) => {
  const { security }: Route = routes[id];
  return security.includes("device");
});

let relay: TestRelay;
let other: TestRelay;
beforeAll(async () => {
  const seeds = { SEED_STORAGE_METADATA_RETENTION_DAYS: "1" };
  relay = await startRelay({ deviceTokenSeconds: 3 * day, seeds });
  other = await startRelay(relay.config, { clock: relay.clock });
});
afterAll(async () => {
  await other.stop();
  await relay.stop();
});

it("a device that was removed has its token refused by every operation, on every node, until it announces itself", async () => {
  expect(operations.length).toBeGreaterThan(10);
  const device = await newDevice(relay);
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const isKnown = async () =>
    (await db.rows<AnyRow>("select 1 from devices where device_id = :deviceId", { deviceId: device.deviceId }))
      .length === 1;
  relay.clock.advance(day + 1);
  await until(async () => !(await isKnown()), "the device is removed");
  await db.close();

  const status = async (node: TestRelay) => (await call(node, "getKeyPackageStatus", { token: device.token })).status;
  for (const node of [relay, other]) await until(async () => (await status(node)) === 401, "its session has ended");
  for (const operation of operations) {
    const params = { url_segment: "x", id: "x", message_id: "x", slot: "x", prefix: "x", code: "x" };
    const answer = await call(other, operation, { token: device.token, params });
    expect({ operation, ...answer }).toMatchObject({ operation, status: 401, body: { error: "INVALID_TOKEN" } });
  }

  await device.announce();
  expect((await device.poll()).status).toBe(200);
});

it("a device that is removed while it announces itself is registered again, without a proof if the relay asks for none", async () => {
  const device = await newDevice(relay);
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  let announced: Promise<void> | undefined;
  await db.transaction(async (at) => {
    await mayIdle(at);
    await at.run("delete from devices where device_id = :deviceId", { deviceId: device.deviceId });
    await at.run("delete from addresses where device_id = :deviceId", { deviceId: device.deviceId });
    announced = device.announce();
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await until(async () => (await db.rows(waiting)).length > 0, "the announcement waits for the removal");
  });
  await announced;
  expect((await device.poll()).status).toBe(200);
  await db.close();
});
