import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { schemaText } from "../../scripts/schema/text.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("test/schema.sql shows the migrated database", async () => {
  const written = await readFile(new URL("../schema.sql", import.meta.url), "utf8");
  expect(await schemaText(database.db)).toBe(written);
});

test("the dump shows a column's storage, a default, an index, a trigger and a table's options", async () => {
  const changed = await createTestDatabase();
  const before = await schemaText(changed.db);
  const changes = [
    ["alter table secrets alter column sealed set storage external", "sealed bytea storage external not null"],
    ["alter table nodes alter column started_at set default 7", "started_at bigint not null default 7"],
    ["create index extra on secrets (created_at) where created_at > 0", "INDEX extra ON public.secrets"],
    ["alter table daily_keys set (fillfactor = 50)", "with (fillfactor=50)"],
    ["drop trigger audit_entries_append_only on audit_entries", ""],
  ] as const;
  let last = before;
  for (const [change, shown] of changes) {
    await changed.db.run(change);
    const text = await schemaText(changed.db);
    expect(text).not.toBe(last);
    expect(text).toContain(shown);
    last = text;
  }
  await changed.drop();
});
