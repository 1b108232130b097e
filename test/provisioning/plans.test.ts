import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../src/database/db.js";
import * as store from "../../src/provisioning/store.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fillingMillis, fillTables, rowsForPlans, wholeScans } from "../support/explain.js";

const now = 1_000_000;
const id = "00000000-0000-4000-8000-000000000001";
const waiter = "00000000-0000-4000-8000-000000000002";
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await fillTables(database, {
    provisioning_addresses: `
      insert into provisioning_addresses (id, poll_token_hash, expires_at, ciphertext)
      select gen_random_uuid(), sha256(n::text::bytea), ${now} - ${rowsForPlans} / 50 + n, '\\x00'::bytea
      from generate_series(1, ${rowsForPlans}) as n`,
  });
}, fillingMillis);
afterAll(() => database.drop());

const cases: Record<string, (db: Db) => Promise<unknown>> = {
  "the expiry of addresses": (db) => store.deleteExpired(db, { now, limit: rowsForPlans / 1000 }),
  "a linking": async (db) => {
    await store.insertAddress(db, { id, pollTokenHash: randomBytes(32), expiresAt: now + 300 });
    await store.setWaiter(db, { id, waiter });
    expect(await store.putBlob(db, { id, ciphertext: randomBytes(64), now })).toBe(now + 300);
    expect(await store.findAddress(db, { id, now })).toMatchObject({ isFilled: true, waiter });
    expect(await store.takeBlob(db, { id, waiter, now })).toBeDefined();
  },
};

describe(`in a table of ${rowsForPlans} rows an index serves`, () => {
  it.each(Object.entries(cases))("%s", async (_, work) => {
    expect(await wholeScans(database, work)).toEqual([]);
  });
});
