import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { newDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";

let relay: TestRelay;
let admin: TestAdmin;
let db: Database;
const hour = 3600;

beforeAll(async () => {
  ({ relay, admin } = await startAdministered());
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const pending = async (query: Record<string, number> = {}) =>
  (await call(relay, "listPendingDevices", { token: admin.token, query })).body;
const ids = async (query: Record<string, number> = {}) =>
  (await pending(query)).pending_devices.map(({ device_id }) => device_id);

/** A device that registered some hours ago, has sent messages and has been reported. */
async function aged(hours: number, { sent = 10, reports = 0, ...more }: Record<string, unknown> = {}) {
  const { deviceId } = await newDevice(relay);
  const registered_at = relay.clock.nowSeconds() - hours * hour;
  await tableOf(db, "devices")
    .where({ device_id: deviceId })
    .update({ registered_at, spam_reports: reports, ...more });
  await tableOf(db, "queues").insert({ device_id: deviceId, messages_received: 3 });
  await tableOf(db, "sent_totals").insert({ device_id: deviceId, sent });
  return deviceId;
}

describe("pending devices", () => {
  test("are those of the last day with ten messages and no report, the longest registered first", async () => {
    const young = await aged(1);
    const older = await aged(20, { sent: 99 });
    await aged(25);
    await aged(2, { sent: 9 });
    await aged(2, { reports: 1 });
    await aged(2, { admin_verified: true });
    await aged(2, { blocked_at: 1 });
    await aged(2, { banned_until: relay.clock.nowSeconds() + 600 });
    const banOver = await aged(3, { banned_until: relay.clock.nowSeconds() - 1 });
    const body = await pending();
    expect([body.total_count, body.complete]).toEqual([3, true]);
    expect(body.pending_devices.map(({ device_id }) => device_id)).toEqual([older, banOver, young]);
    expect(body.pending_devices[0]).toEqual({
      device_id: older,
      registered_at: expect.any(Number),
      age_hours: 20,
      current_tier: "established",
      current_rate_limit: 60,
      messages_sent: 99,
      messages_received: 3,
      spam_reports: 0,
      spam_warning: false,
      suggested_action: "verify",
    });
  });

  test("can be filtered by age, messages and reports, with a suggested action for each", async () => {
    const clean = await aged(99.5, { sent: 500 });
    const doubtful = await aged(101, { sent: 500, reports: 2 });
    const bad = await aged(102, { sent: 500, reports: 3 });
    const range = { min_age_hours: 99, max_age_hours: 103, min_messages: 500 };
    const { pending_devices } = await pending({ ...range, max_spam_reports: 3 });
    expect(pending_devices.map(({ device_id, suggested_action }) => [device_id, suggested_action])).toEqual([
      [bad, "block"],
      [doubtful, "monitor"],
      [clean, "verify"],
    ]);
    expect(await ids({ ...range, max_spam_reports: 2 })).toEqual([doubtful, clean]);
    expect(await ids({ ...range, max_age_hours: 100 })).toEqual([clean]);
    expect(await ids({ ...range, min_messages: 501 })).toEqual([]);
    expect(await ids({ min_age_hours: 103, max_age_hours: 99 })).toEqual([]);
  });

  test("are listed up to a limit, with the total number", async () => {
    for (let i = 0; i < 3; i++) await aged(200 + i);
    const range = { min_age_hours: 199, max_age_hours: 205 };
    const { pending_devices, total_count } = await pending({ ...range, limit: 2 });
    expect([pending_devices.length, total_count]).toEqual([2, 3]);
  });

  test("are examined up to two thousand, and the response says if there are more", async () => {
    const registered = relay.clock.nowSeconds() - 300 * hour;
    await db.run(
      `insert into devices (device_id, public_key, registered_at, last_active)
       select lpad(to_hex(n), 64, '0'), decode(lpad(to_hex(n), 64, '0'), 'hex'), :registered + n, :registered
       from generate_series(1, 2000) as n`,
      { registered },
    );
    const range = { min_age_hours: 298, max_age_hours: 301, min_messages: 0, limit: 5 };
    expect(await pending(range)).toMatchObject({ total_count: 2000, complete: true });
    const { limit: _, ...withoutLimit } = range;
    expect((await pending(withoutLimit)).pending_devices).toHaveLength(2000);
    // The latest of them all is beyond those that are looked at, and is found by a narrower range.
    const latest = await aged(298.5, { sent: 77 });
    expect(await pending({ ...range, min_messages: 77 })).toMatchObject({ total_count: 0, complete: false });
    expect(await pending(range)).toMatchObject({ total_count: 2000, complete: false });
    const narrow = await pending({ ...range, max_age_hours: 299, min_messages: 77 });
    expect(narrow).toMatchObject({ total_count: 1, complete: true, pending_devices: [{ device_id: latest }] });
  });

  test.each([
    ["min_age_hours", -1],
    ["max_age_hours", "x"],
    ["min_messages", 1.5],
    ["limit", 0],
    ["limit", 2001],
    ["unknown", 1],
  ])("are refused for %s=%s", async (name, value) => {
    const answer = await call(relay, "listPendingDevices", { token: admin.token, query: { [name]: value } });
    expect([answer.status, answer.body.error]).toEqual([400, "INVALID_REQUEST"]);
  });
});
