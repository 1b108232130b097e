import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../src/database/db.js";
import * as store from "../../src/infopackages/store.js";
import { recountBalance } from "../../src/infopackages/store.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fillingMillis, fillTables, indexesUsed, rowsForPlans, wholeScans } from "../support/explain.js";

const now = 1_000_000_000;
const limit = rowsForPlans / 1000;
const deviceId = "device-8";
const asked = { kind: "sealed", segment: `segment-${rowsForPlans - 1}`, now } as const;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  // Ten packages a device, every other one of three uses; one in fifty has expired.
  const expiry = `${now} - ${rowsForPlans} / 50 + n`;
  const numbers = `generate_series(1, ${rowsForPlans}) as n`;
  await fillTables(database, {
    info_packages: `
      insert into info_packages (segment, kind, ciphertext, package_type, created_at, expires_at, max_uses,
                                 uses_remaining, uploader)
      select 'segment-' || n, 'sealed', sha256(n::text::bytea), 'identity', 1, ${expiry},
             case when n % 2 = 1 then 3 end, case when n % 2 = 1 then 3 end, 'device-' || n % (${rowsForPlans} / 10)
      from ${numbers}`,
  });
}, fillingMillis);
afterAll(() => database.drop());

const cases: Record<string, (db: Db) => Promise<unknown>> = {
  "the expiry of packages": async (db) => expect(await store.deleteExpired(db, { now, limit })).toBe(limit),
  "a download": async (db) => {
    expect(await store.takeUse(db, asked)).toMatchObject({ usesRemaining: 2 });
    expect(await store.findPackage(db, asked)).toBeDefined();
    await store.deleteIfExpired(db, asked);
  },
  "a revocation": async (db) => expect(await store.deletePackage(db, asked)).toBe(true),
  "the removal of devices": (db) => store.deleteOfDevices(db, [deviceId, "device-9"]),
};

describe(`in tables of ${rowsForPlans} rows an index serves`, () => {
  it.each(Object.entries(cases))("%s", async (_, work) => {
    const scans = await wholeScans(database, work);
    // The balance is one row.
    expect(scans.filter((scan) => !scan.startsWith("the whole table info_package_balance:"))).toEqual([]);
  });

  it("on charged packages serves the recount", async () => {
    expect(await indexesUsed(database, recountBalance)).toEqual(["info_packages_charged_bytes"]);
  });
});
