import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Facts } from "../../scripts/upgrade/facts.js";
import type { Db } from "../../src/database/db.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

// What `scripts/upgrade/make-dump.ts` has stored of a release.

const folderOf = (version: string): URL => new URL(`${version}/`, import.meta.url);

export async function factsOf(version: string): Promise<Facts> {
  return JSON.parse(await readFile(new URL("facts.json", folderOf(version)), "utf8")) as Facts;
}

export function backupOf(version: string): string {
  return fileURLToPath(new URL("relay.backup", folderOf(version)));
}

/** A database as the release left it. Its times are moved on, so that it looks as if the release had stopped just now. */
export async function loadDatabase(version: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  const sql = gunzipSync(await readFile(new URL("database.sql.gz", folderOf(version)))).toString();
  const { madeAt } = await factsOf(version);
  // One connection: the statements switch triggers off and on.
  await database.db.transaction(async (trx) => {
    await trx.run(sql).catch((cause: Error) => {
      // The error names the whole statement.
      throw new Error(`the stored database cannot be loaded: ${cause.message.slice(-300)}`);
    });
    await moveOn(trx, Math.floor(Date.now() / 1_000) - madeAt);
  });
  return database;
}

/** Moves every column with a time in Unix seconds. */
export async function moveOn(db: Db, seconds: number): Promise<void> {
  await db.run("set session_replication_role = replica");
  const columns = await db.rows<{ table: string; column: string }>(timesSql);
  for (const { table, column } of columns) {
    await db.run(`update ${table} set ${column} = ${column} + :seconds::bigint`, { seconds });
  }
  await db.run("set session_replication_role = origin");
}

const timesSql = `
  select c.relname as "table", a.attname as "column"
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    and a.atttypid = 'bigint'::regtype and a.attname ~ '(_at|_until|^cutoff)$'`;
