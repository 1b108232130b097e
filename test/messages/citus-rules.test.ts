import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rows } from "../../src/platform/database/connection.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

// The rules that keep a database of several machines possible (spec/decisions/0040). They are checked in the catalogue,
// not in the migrations, so that no later migration breaks one unnoticed.

/** The column by which each hot table would be distributed. */
const distribution: Readonly<Record<string, string>> = {
  devices: "device_id",
  mailboxes: "device_id",
  messages: "device_id",
  sending_windows: "device_id",
  addresses: "prefix",
  deduplication: "key",
};
const names = Object.keys(distribution);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

describe("a hot table", () => {
  it.each(names)("%s has a primary key that begins with its distribution column", async (table) => {
    const [first] = await rows<{ name: string }>(
      database.db,
      `select a.attname as name
       from pg_index i
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
       where i.indrelid = :table::regclass and i.indisprimary`,
      { table },
    );
    expect(first?.name).toBe(distribution[table]);
  });

  it.each(names)("%s has no unique index without its distribution column", async (table) => {
    const lacking = await rows(
      database.db,
      `select i.indexrelid::regclass::text as name
       from pg_index i
       where i.indrelid = :table::regclass and i.indisunique
         and not exists (
           select from pg_attribute a
           where a.attrelid = i.indrelid and a.attname = :column and a.attnum = any(i.indkey))`,
      { table, column: distribution[table] },
    );
    expect(lacking).toEqual([]);
  });

  it("is in no foreign key and has no trigger", async () => {
    const keys = await rows(
      database.db,
      `select conname from pg_constraint
       where contype = 'f' and (conrelid = any(:names::regclass[]) or confrelid = any(:names::regclass[]))`,
      { names },
    );
    expect(keys).toEqual([]);
    const triggers = await rows(
      database.db,
      "select tgname from pg_trigger where tgrelid = any(:names::regclass[]) and not tgisinternal",
      { names },
    );
    expect(triggers).toEqual([]);
  });

  it("takes no value from a sequence", async () => {
    const columns = await rows(
      database.db,
      `select table_name, column_name from information_schema.columns
       where table_name = any(:names::text[]) and (is_identity = 'YES' or column_default like 'nextval%')`,
      { names },
    );
    expect(columns).toEqual([]);
  });
});
