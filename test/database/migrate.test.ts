import { afterAll, beforeAll, expect, test } from "vitest";
import { type Migration, migrations } from "../../src/database/migrations/list.js";
import { isMigrated, migrate } from "../../src/database/migrations/migrate.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { createFolder, startEmbedded } from "../support/embedded.js";
import { until } from "../support/until.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
});
afterAll(() => database.drop());

const allNames = migrations.map((step) => step.name);

test("two nodes that migrate an empty database at once run each step once, in order", async () => {
  expect(await isMigrated(database.db)).toBe(false);
  const other = createDatabase({ url: database.url, poolSize: 1 });
  const ran = await Promise.all([migrate(database.db), migrate(other)]);
  await other.close();
  expect(ran.flat().sort()).toEqual([...allNames].sort());
  expect(await isMigrated(database.db)).toBe(true);
});

test("migrating again does nothing", async () => {
  expect(await migrate(database.db)).toEqual([]);
});

test("the list has unique names in ascending order", () => {
  expect(allNames).toEqual([...new Set(allNames)].sort());
});

test("a step that fails leaves nothing behind and is run the next time", async () => {
  const name = "9998-half";
  const whole = "create table half_done (id integer primary key);";
  const failing: Migration = { name, sql: `${whole} select 1 / 0;` };
  await expect(migrate(database.db, [...migrations, failing])).rejects.toThrow("division by zero");
  const found = await database.db.one<{ id: string | null }>("select to_regclass('half_done')::text as id");
  expect(found?.id).toBeNull();
  expect(await migrate(database.db, [...migrations, { name, sql: whole }])).toEqual([name]);
});

test("a PostgreSQL that is no longer supported is refused before anything is changed", async () => {
  const { db, url, drop } = await createTestDatabase({ empty: true });
  await db.run(
    `create schema older;
     create function older.current_setting(name text) returns text language sql as $$ select '140025' $$;`,
  );
  const name = new URL(url).pathname.slice(1);
  await db.run(`alter database "${name}" set search_path = older, pg_catalog, public`);
  const older = createDatabase({ url, poolSize: 1 });
  await expect(migrate(older)).rejects.toThrow(/PostgreSQL 14, which is no longer supported: use PostgreSQL 15 to 18/);
  expect(await isMigrated(older)).toBe(false);
  await older.close();
  await drop();
});

test("a database of a newer version is refused", async () => {
  await expect(migrate(database.db)).rejects.toThrow(/newer version.*9998-half/);
});

test.each(migrations)("while $name waits for a dump, readers do not wait with it", async (step) => {
  const { db, url, drop } = await createTestDatabase({ empty: true });
  const [dumper, reader] = [createDatabase({ url, poolSize: 1 }), createDatabase({ url, poolSize: 2 })];
  const before = migrations.slice(0, migrations.indexOf(step));
  await migrate(db, before);
  const waits: string[] = [];
  let isDone = false;
  const tables = await db.rows<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
  );
  const migrated = await dumper.transaction(async (dump) => {
    for (const { name } of tables) await dump.run(`lock table ${name} in access share mode`);
    const migrating = migrate(db, [...before, step], { onWait: (message) => waits.push(message) }).finally(() => {
      isDone = true;
    });
    const isWaiting = async () => {
      const [found] = await reader.rows<{ waiting: boolean }>(
        `select bool_or(not granted) as waiting from pg_locks
         where database = (select oid from pg_database where datname = current_database())`,
      );
      return found?.waiting === true;
    };
    await until(async () => isDone || (await isWaiting()), "the step waits for the dump, or need not");
    // The dump goes on until each table has been read.
    for (const { name } of tables) await reader.rows(`select 1 as read from ${name} limit 1`);
    await until(async () => isDone || waits.length > 0, "it says that it waits, or need not");
    return { migrating };
  });
  expect(await migrated.migrating).toEqual([step.name]);
  for (const one of [dumper, reader]) await one.close();
  await drop();
});

test("an autovacuum, however long it takes, ends for a change of its table", async () => {
  const { folder, remove } = await createFolder(0o700);
  const server = await startEmbedded(folder, "embedded-postgres", { autovacuum_naptime: "1s", fsync: "off" });
  const db = createDatabase({ url: server.url, poolSize: 2 });
  await migrate(db);
  // A page each 200 ms.
  await db.run(`create table vacuumed (id integer) with (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1,
                  autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0)`);
  await db.run("insert into vacuumed select generate_series(1, 100000)");
  await db.run("delete from vacuumed");
  const isVacuumed = async () => {
    const [found] = await db.rows<{ found: boolean }>(
      `select exists (select from pg_locks join pg_stat_activity using (pid)
       where backend_type = 'autovacuum worker' and relation = 'vacuumed'::regclass and granted) as found`,
    );
    return found?.found === true;
  };
  await until(isVacuumed, "an autovacuum of the table");
  const waits: string[] = [];
  const step: Migration = { name: "9999-vacuumed", sql: "alter table vacuumed add other integer;" };
  const ran = await migrate(db, [...migrations, step], { onWait: (message) => waits.push(message) });
  expect([ran, waits]).toEqual([[step.name], []]);
  await db.close();
  await server.stop();
  await remove();
});
