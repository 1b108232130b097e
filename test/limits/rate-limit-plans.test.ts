import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../src/database/db.js";
import * as store from "../../src/limits/windows-store.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fillingMillis, fillTables, rowsForPlans, wholeScans } from "../support/explain.js";

const now = 1_000_000_000;
const limit = rowsForPlans / 1000;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  // One in fifty windows has ended.
  await fillTables(database, {
    rate_limits: `
      insert into rate_limits (key, count, expires_at)
      select sha256(n::text::bytea), 1, ${now} - ${rowsForPlans} / 50 + n from generate_series(1, ${rowsForPlans}) as n`,
  });
}, fillingMillis);
afterAll(() => database.drop());

const window = (earlierKey: Buffer | null) => ({ key: randomBytes(32), earlierKey, cost: 1, limit: 5, seconds: 60 });
const cases: Record<string, (db: Db) => Promise<unknown>> = {
  "the counting in several windows": async (db) => {
    const counted = await store.countInWindows(db, [window(null), window(randomBytes(32))], { now });
    expect(counted.map((one) => one.counted)).toEqual([true, true]);
    await store.giveBackToWindows(db, counted);
  },
  "the expiry of windows": async (db) => expect(await store.deleteEndedWindows(db, { now, limit })).toBe(limit),
};

describe(`in a table of ${rowsForPlans} rows an index serves`, () => {
  it.each(Object.entries(cases))("%s", async (_, work) => {
    const scans = await wholeScans(database, work);
    expect(scans.filter((scan) => scan.includes("rate_limits"))).toEqual([]);
  });
});
