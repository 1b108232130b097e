import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminKeys, logIn } from "../../support/admin.js";
import { call } from "../../support/api.js";
import { eventually, type Fixture, openFixture } from "./fixture.js";

let fixture: Fixture;
const reader = adminKeys("view_metrics");
const hour = 3600;

beforeAll(async () => {
  fixture = await openFixture({ adminList: reader.seed });
});
afterAll(() => fixture.stop());

test("storage.message_queue_limit is how many messages may wait", async () => {
  const [from, to] = [await fixture.device(), await fixture.device()];
  await fixture.set("storage.message_queue_limit", 2);
  const statuses = [await from.send(to.address), await from.send(to.address), await from.send(to.address)];
  expect(statuses.map(({ status }) => status)).toEqual([202, 202, 507]);
  await fixture.set("storage.message_queue_limit", 1000);
  expect((await from.send(to.address)).status).toBe(202);
});

test("storage.message_queue_bytes_limit is how many bytes may wait", async () => {
  const [from, to] = [await fixture.device(), await fixture.device()];
  await fixture.set("storage.message_queue_bytes_limit", 1_048_576);
  const large = async () => (await from.send(to.address, { ciphertext: randomBytes(600_000) })).status;
  expect([await large(), await large()]).toEqual([202, 507]);
  await fixture.set("storage.message_queue_bytes_limit", 2_097_152);
  expect(await large()).toBe(202);
});

test("storage.announcement_retention_hours is how long an announced address lives", async () => {
  const from = await fixture.device();
  const old = await fixture.device();
  await fixture.set("storage.announcement_retention_hours", 2);
  const short = await fixture.device();
  fixture.relay.clock.advance(3 * hour);
  const gone = await from.send(short.address);
  expect([gone.status, gone.body.error]).toEqual([404, "ADDRESS_NOT_FOUND"]);
  expect((await from.send(old.address)).status).toBe(202);
});

test("storage.metadata_retention_days is how long an inactive device is kept", async () => {
  const { deviceId } = await fixture.device();
  const isKnown = async () => {
    const { token } = await logIn(fixture.relay, reader);
    return (await call(fixture.relay, "getDevice", { token, params: { device_id: deviceId } })).status === 200;
  };
  fixture.relay.clock.advance(25 * hour);
  expect(await isKnown()).toBe(true);
  await fixture.set("storage.metadata_retention_days", 1);
  // The job that removes devices comes round every ten minutes.
  fixture.relay.clock.advance(601);
  await eventually(async () => !(await isKnown()));
});
