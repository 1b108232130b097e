import { afterAll, beforeAll, expect, test } from "vitest";
import { type AuditEntry, createAuditService } from "../../src/audit/service.js";
import { createManualClock, createSystemClock } from "../../src/node/clock.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const clock = createManualClock(createSystemClock());
const audit = createAuditService({ clock, random: createSystemRandom() });
const entry: AuditEntry = {
  action: "config_updated",
  admin: "a".repeat(64),
  target: "server.max_message_size",
  details: { old: 1, new: null, nested: { "odd?": ["'", "\\", ":x"] } },
  ipAddress: "192.0.2.1",
  userAgent: "curl/8",
};

test("entries of one millisecond, and of a clock that was set back, stay in the order in which they were recorded", async () => {
  let nowMillis = 5_000;
  const still = { nowMillis: () => nowMillis, nowSeconds: () => 5 };
  const { record } = createAuditService({ clock: still, random: createSystemRandom() });
  const ids: string[] = [];
  for (const millis of [5_000, 5_000, 5_000, 4_000, 5_001, 5_001]) {
    nowMillis = millis;
    ids.push(await record(database.db, { ...entry, action: "admin_login" }));
  }
  expect(ids).toEqual([...ids].sort());
});

test("an entry is kept as it was recorded, with an id that sorts by time", async () => {
  const ids: string[] = [];
  for (const action of ["invite_created", "key_rotated", "admin_login"] as const) {
    ids.push(await audit.record(database.db, { ...entry, action }));
    clock.advance(1);
  }
  expect(ids).toEqual([...ids].sort());
  expect(ids[0]).toMatch(/^audit_[0-9a-f]{32}$/);
  const found = await database.db.rows<Record<string, unknown>>("select * from audit_entries where id = :id", {
    id: ids[0],
  });
  expect(found).toEqual([
    {
      id: ids[0],
      timestamp: expect.any(Number) as unknown,
      action: "invite_created",
      admin: entry.admin,
      target: entry.target,
      details: entry.details,
      ip_address: "192.0.2.1",
      user_agent: "curl/8",
    },
  ]);
});

test("the system's own entries have neither admin nor address", async () => {
  const id = await audit.record(database.db, { ...entry, admin: null, target: null, ipAddress: null, userAgent: null });
  const found = await database.db.one<{ admin: unknown }>("select admin from audit_entries where id = :id", { id });
  expect(found?.admin).toBeNull();
});

test("an entry is committed or rolled back with the change that it records", async () => {
  const before = await count();
  const failing = database.db.transaction(async (trx) => {
    await audit.record(trx, entry);
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  expect(await count()).toBe(before);
});

test("entries can be neither changed nor removed", async () => {
  const before = await count();
  for (const attempt of [
    "update audit_entries set admin = 'me'",
    "delete from audit_entries",
    "delete from audit_entries where false",
    "truncate audit_entries",
  ]) {
    await expect(database.db.rows(attempt)).rejects.toMatchObject({ code: "42501" });
  }
  expect(await count()).toBe(before);
});

async function count(): Promise<number> {
  const row = await database.db.one<{ count: number }>("select count(*) as count from audit_entries");
  return row?.count ?? Number.NaN;
}
