import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../src/database/db.js";
import { beginClaim, deleteExpiredClaims, finishClaim, readClaim } from "../../src/keypackages/claim-store.js";
import * as store from "../../src/keypackages/store.js";
import {
  clearExpiredLastResort,
  deleteExpired,
  deleteOfDevices,
  findExpiredLastResorts,
  findExpiredPackages,
  voidSome,
} from "../../src/keypackages/store.js";
import type { Prefix } from "../../src/protocol/identifiers.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fillingMillis, fillTables, isOfOneMachine, rowsForPlans, wholeScans } from "../support/explain.js";

const now = 1_000_000;
const deviceId = "device-8";
// A step of the expiry is small beside the table, as it is in earnest.
const range = { now, limit: rowsForPlans / 1000 };
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  // A hundred packages a device, half of them handed out, and one in fifty rows expired.
  const expiry = `${now} - ${rowsForPlans} / 50 + n`;
  const numbers = `generate_series(1, ${rowsForPlans}) as n`;
  await fillTables(database, {
    key_packages: `
      insert into key_packages (device_id, digest, position, key_package, expires_at)
      select 'device-' || n % (${rowsForPlans} / 100), sha256(n::text::bytea), n,
             case when n % 2 = 0 then decode(repeat('ab', 64), 'hex') end, ${expiry}
      from ${numbers}`,
    key_package_accounts: `
      insert into key_package_accounts (device_id, last_position, last_resort, last_resort_expires_at)
      select 'device-' || n, n, case when n % 2 = 0 then '\\x00'::bytea end, case when n % 2 = 0 then ${expiry} end
      from ${numbers}`,
    key_package_claims: `
      insert into key_package_claims (claim, sealed, expires_at)
      select sha256(n::text::bytea), sha256(n::text::bytea), ${expiry} from ${numbers}`,
  });
}, fillingMillis);
afterAll(() => database.drop());

const pool = { deviceId, prefix: null };
const keyPackage = randomBytes(64);
const account = { lastPosition: 1, lastResort: keyPackage, lastResortExpiresAt: now };
const cases: Record<string, (db: Db) => Promise<unknown>> = {
  "the expiry of packages": async (db) => {
    await findExpiredPackages(db, range);
    await deleteExpired(db, { deviceId, ...range });
  },
  "the expiry of last-resort packages": async (db) => {
    await findExpiredLastResorts(db, range);
    await clearExpiredLastResort(db, { deviceId, now });
  },
  "a step of what follows a restore": (db) => voidSome(db, range.limit),
  "a hand-out": async (db) => {
    await store.lockAccount(db, deviceId);
    expect(await store.takeOldest(db, { ...pool, now })).toBeDefined();
  },
  "an upload": async (db) => {
    await store.openAccount(db, deviceId);
    await store.deleteStored(db, { ...pool, now, all: true });
    await store.deleteOne(db, { deviceId, keyPackage });
    await store.insertPackages(db, { ...pool, packages: [keyPackage], after: 1, expiresAt: now + 1 });
    await store.updateAccount(db, deviceId, account);
    expect(await store.countAvailable(db, { ...pool, now })).toBe(1);
  },
  "an upload for an address": async (db) => {
    const prefix = "00112233-4455-6677-8899-aabbccddeeff" as Prefix;
    await store.replaceLastResort(db, { deviceId, prefix, keyPackage, position: 1, expiresAt: now + 1 });
    expect(await store.findLastResort(db, { deviceId, prefix, now })).toEqual(keyPackage);
    await store.countStored(db, { deviceId, now });
  },
  "a device's status": (db) => store.readStatus(db, { ...pool, now }),
  "a claim": async (db) => {
    const [claim, later] = [randomBytes(32), now + 1];
    expect(await readClaim(db, { claim, now })).toBeUndefined();
    expect(await beginClaim(db, { claim, now, expiresAt: later })).toBe(true);
    await finishClaim(db, { claim, sealed: claim });
  },
  "the expiry of answers to claims": (db) => deleteExpiredClaims(db, range),
  "the removal of devices": (db) => deleteOfDevices(db, [deviceId, "device-9"]),
};

describe(`in tables of ${rowsForPlans} rows an index serves`, () => {
  it.each(Object.entries(cases).filter(([title]) => !isOfOneMachine(title)))("%s", async (_, work) => {
    expect(await wholeScans(database, work)).toEqual([]);
  });
});

it("detects a statement without an index", async () => {
  const scans = await wholeScans(database, (db) => db.rows("select 1 from key_packages where position = 7"));
  expect(scans).toEqual([expect.stringContaining("the whole table key_packages")]);
});
