import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../src/database/db.js";
import * as store from "../../src/moderation/store.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fillingMillis, fillTables, rowsForPlans, wholeScans } from "../support/explain.js";

const now = 1_000_000_000;
const limit = rowsForPlans / 1000;
const reported = "device-8";
const reporter = createHash("sha256").update("8").digest();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  // A hundred reports about a device and by a reporter, half of them verified; one in fifty is old.
  const people = rowsForPlans / 100;
  await fillTables(database, {
    spam_reports: `
      insert into spam_reports (reported, report_key, report_id, reporter, reporter_tier, status, reason, reported_at)
      select 'device-' || n % ${people}, sha256(n::text::bytea), md5(n::text)::uuid,
             sha256((n / 100)::text::bytea), 'trusted', case when n % 2 = 0 then 'verified' else 'unverified' end, 'spam',
             ${now} - ${rowsForPlans} / 50 + n
      from generate_series(1, ${rowsForPlans}) as n`,
  });
}, fillingMillis);
afterAll(() => database.drop());

const report = {
  ...{ reported, key: randomBytes(32), reportId: "7d3f9a52-6b1e-4c08-9f24-5a6b7c8d9e0f", reporter },
  ...({ tier: "trusted", status: "verified", reason: "spam", details: null, reportedAt: now, peer: null } as const),
};
const cases: Record<string, (db: Db) => Promise<unknown>> = {
  "the expiry of reports": async (db) => expect(await store.deleteOldReports(db, { before: now, limit })).toBe(limit),
  "a report": async (db) => {
    await store.findReport(db, report);
    expect(await store.readUsage(db, { reporter, since: 0 })).toHaveLength(100);
    await store.insertReport(db, report);
  },
  "the weight of reports": (db) =>
    store.weighReports(db, {
      reported: [reported, "device-9"],
      tiers: ["trusted"],
      weights: [1],
      since: now - 7 * 86_400,
      ofOnePeer: 3,
    }),
  "a pardon": (db) => store.pardonReports(db, reported),
  "the removal of devices": (db) =>
    store.deleteReports(db, { reported: [reported, "device-9"], reporters: [reporter] }),
};

describe(`in tables of ${rowsForPlans} rows an index serves`, () => {
  it.each(Object.entries(cases))("%s", async (_, work) => {
    expect(await wholeScans(database, work)).toEqual([]);
  });
});
