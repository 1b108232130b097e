import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../src/database/db.js";
import * as addresses from "../../src/devices/address-store.js";
import * as store from "../../src/devices/store.js";
import {
  deleteEndedTombstones,
  deleteInactive,
  findInactive,
  lockForAnnouncement,
  takeTombstone,
} from "../../src/devices/store.js";
import { type DeviceId, type Prefix, parsePrefix } from "../../src/protocol/identifiers.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fillingMillis, fillTables, rowsForPlans, wholeScans } from "../support/explain.js";

const now = 1_000_000_000;
const deviceId = "device-8" as DeviceId;
const ids = [deviceId, "device-9"];
/** When the newest device registered. */
const newest = now + (rowsForPlans * 49) / 50;
const limit = rowsForPlans / 1000;
const prefix = parsePrefix("0".repeat(32)) as Prefix;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  // One in fifty devices has been inactive for too long; the others were active since, one a second.
  const at = `${now} - ${rowsForPlans} / 50 + n`;
  const numbers = `generate_series(1, ${rowsForPlans}) as n`;
  await fillTables(database, {
    devices: `
      insert into devices (device_id, public_key, registered_at, last_active, blocked_at)
      select 'device-' || n, sha256(n::text::bytea), ${at}, ${at}, case when n % 10 = 0 then 1 end from ${numbers}`,
    addresses: `
      insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at)
      select md5(n::text)::uuid, 'device-' || n / 3, 'uuid', 'https://relay.test', ${now}, ${now}, ${at} from ${numbers}`,
    block_tombstones: `
      insert into block_tombstones (device_hash, blocked_at, banned_until, marked_at)
      select sha256(n::text::bytea), case when n % 2 = 0 then 1 end, ${at}, ${now} from ${numbers}`,
  });
}, fillingMillis);
afterAll(() => database.drop());

const taking = {
  ...{ deviceId, prefixes: [{ prefix, spelling: "uuid" as const }], serverUrl: "https://relay.test" },
  ...{ now, expiresAt: now + 1 },
};
const cases: Record<string, (db: Db) => Promise<unknown>> = {
  "the search for inactive devices": async (db) => {
    expect(await findInactive(db, { before: now, limit })).toHaveLength(limit);
  },
  "the removal of inactive devices": async (db) => {
    expect(await deleteInactive(db, { ids, before: now })).toHaveLength(2);
    await addresses.deleteAddresses(db, ids);
  },
  "the removal of marks": async (db) => {
    expect(await deleteEndedTombstones(db, { now, limit })).toBe(limit);
    await takeTombstone(db, new Uint8Array(32));
  },
  "the note of activity": (db) =>
    store.updateLastActive(db, { ids, times: [now + 9999, now + 9999], apartSeconds: 3600 }),
  "finding and locking devices": async (db) => {
    await store.findDevices(db, ids);
    expect(await store.lockDevices(db, ids)).toHaveLength(2);
  },
  "the count of registrations": (db) => store.countRegisteredAfter(db, { since: newest - 9, max: limit }),
  "an announcement": async (db) => {
    await lockForAnnouncement(db, { deviceId, now });
    await addresses.countAddresses(db, { deviceId, prefixes: [prefix], now });
    await addresses.upsertAddresses(db, taking);
    await addresses.existsActiveAddress(db, deviceId, now);
  },
  "a change of the trust state": async (db) => {
    await store.updateBlock(db, deviceId, 1);
    await store.updateReportCounts(db, { reported: deviceId, reporter: "device-9" });
    await addresses.findPrefixes(db, deviceId);
  },
};

describe(`in tables of ${rowsForPlans} rows an index serves`, () => {
  it.each(Object.entries(cases))("%s", async (_, work) => {
    expect(await wholeScans(database, work)).toEqual([]);
  });
});
