import { afterAll, beforeAll, expect, test } from "vitest";
import { createUsedSignatures } from "../../src/auth/used-signatures.js";
import { createManualClock, createSystemClock } from "../../src/node/clock.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { holdTransaction } from "../support/held-transaction.js";
import { until } from "../support/until.js";

let database: TestDatabase;
const clock = createManualClock(createSystemClock());
const secrets = { get: async () => new Uint8Array(32).fill(9) };
const used = createUsedSignatures({ clock, secrets, config: { timestampWindowPastSeconds: 300 } });

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const count = async (): Promise<number> => (await database.db.rows("select 1 from used_signatures")).length;

test("a hash is removed when its timestamp would be refused, and not before", async () => {
  const now = clock.nowSeconds();
  expect(await used.use(database.db, { text: "past", timestamp: now - 299 })).toBe(true);
  expect(await used.use(database.db, { text: "ahead", timestamp: now + 60 })).toBe(true);
  await used.removeExpired(database.db);
  expect(await count()).toBe(2);
  clock.advance(70);
  await used.removeExpired(database.db);
  expect(await count()).toBe(1);
  expect(await used.use(database.db, { text: "ahead", timestamp: now + 60 })).toBe(false);
  clock.advance(360);
  await used.removeExpired(database.db);
  expect(await count()).toBe(0);
});

test("of two concurrent transactions the second waits for the first, and succeeds if that fails", async () => {
  const signed = { text: "both", timestamp: clock.nowSeconds() };
  const first = await holdTransaction(database.db);
  expect(await used.use(first, signed)).toBe(true);
  const second = database.db.transaction((trx) => used.use(trx, signed));
  const blocked = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await until(async () => (await database.db.rows(blocked)).length === 1, "the second waits");
  await first.rollback();
  expect(await second).toBe(true);
  expect(await used.use(database.db, signed)).toBe(false);
});
