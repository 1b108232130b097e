import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distributedTables } from "../../src/database/citus/tables.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

// The rules that keep a database of several machines possible (spec/decisions/0040). They are checked in the catalogue,
// not in the migrations, so that no later migration breaks one unnoticed.

const distribution = Object.fromEntries(Object.entries(distributedTables).map(([name, { column }]) => [name, column]));
const names = Object.keys(distribution);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

describe("a hot table", () => {
  it.each(names)("%s has a primary key that begins with its distribution column", async (table) => {
    const first = await database.db.one<{ name: string }>(
      `select a.attname as name
       from pg_index i
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
       where i.indrelid = :table::regclass and i.indisprimary`,
      { table },
    );
    expect(first?.name).toBe(distribution[table]);
  });

  it.each(names)("%s has no unique index without its distribution column", async (table) => {
    const lacking = await database.db.rows(
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

  it("has a distribution column of the same type and collation as the others of its group", async () => {
    const found = await database.db.rows<{ name: string; kind: string }>(
      `select c.relname as name, format_type(a.atttypid, a.atttypmod) || ' ' || a.attcollation::regcollation as kind
       from unnest(:names::text[], :columns::text[]) as d (name, column_name)
       join pg_class as c on c.oid = d.name::regclass
       join pg_attribute as a on a.attrelid = c.oid and a.attname = d.column_name`,
      { names, columns: Object.values(distribution) },
    );
    const kinds = new Map(found.map(({ name, kind }) => [name, kind]));
    const groups = new Set(Object.values(distributedTables).map(({ group }) => group));
    for (const group of groups) {
      const members = names.filter((name) => distributedTables[name]?.group === group);
      expect(new Set(members.map((name) => kinds.get(name))).size, members.join(", ")).toBe(1);
    }
  });

  it("is in no foreign key and has no trigger", async () => {
    const keys = await database.db.rows(
      `select conname from pg_constraint
       where contype = 'f' and (conrelid = any(:names::regclass[]) or confrelid = any(:names::regclass[]))`,
      { names },
    );
    expect(keys).toEqual([]);
    const triggers = await database.db.rows(
      "select tgname from pg_trigger where tgrelid = any(:names::regclass[]) and not tgisinternal",
      { names },
    );
    expect(triggers).toEqual([]);
  });

  it("takes no value from a sequence", async () => {
    const columns = await database.db.rows(
      `select table_name, column_name from information_schema.columns
       where table_name = any(:names::text[]) and (is_identity = 'YES' or column_default like 'nextval%')`,
      { names },
    );
    expect(columns).toEqual([]);
  });
});
