import type { Database } from "../../src/database/db.js";
import { migrations } from "../../src/database/migrations/list.js";

/** The database as plain SQL: what the steps of the schema send, partitions that were made since, and all rows. */
export async function dumpDatabase(db: Database): Promise<string> {
  const partitions = await db.rows<{ statement: string }>(partitionsSql);
  const tables = await db.rows<{ name: string; columns: string }>(tablesSql);
  const data: string[] = [];
  for (const { name, columns } of tables) {
    const found = await db.one<{ json: string | null }>(`select json_agg(t)::text as json from ${name} as t`);
    if (found?.json == null) continue;
    const list = `json_populate_recordset(null::${name}, ${quote(found.json)})`;
    data.push(`insert into ${name} (${columns}) overriding system value select ${columns} from ${list}`);
  }
  const sequences = await db.rows<{ statement: string }>(sequencesSql);
  const withoutTriggers = "set session_replication_role = replica";
  const statements = [
    ...migrations.map(({ sql }) => sql),
    journal,
    ...partitions.map(({ statement }) => statement),
    withoutTriggers,
    // The steps write some rows, too.
    `truncate ${tables.map(({ name }) => name).join(", ")}`,
    ...data,
    ...sequences.map(({ statement }) => statement),
    "set session_replication_role = origin",
  ];
  return `${statements.map((statement) => statement.trim().replace(/;$/, "")).join(";\n")};\n`;
}

/** The tables that Knex makes. */
const journal = `
  create table knex_migrations (id serial primary key, name varchar(255), batch integer, migration_time timestamptz);
  create table knex_migrations_lock (index serial primary key, is_locked integer)`;

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Partitions that the relay makes while it runs; those of the schema are made by its steps. */
const partitionsSql = `
  select format('create table if not exists %I partition of %I %s', c.relname, p.relname,
                pg_get_expr(c.relpartbound, c.oid)) as statement
  from pg_class c
  join pg_inherits i on i.inhrelid = c.oid
  join pg_class p on p.oid = i.inhparent
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
  order by c.relname`;

/** Tables that are no partitions, with the columns that can be written. */
const tablesSql = `
  select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  group by c.relname
  order by c.relname`;

const sequencesSql = `
  select format('select setval(%L, %s)', schemaname || '.' || sequencename, last_value) as statement
  from pg_sequences
  where schemaname = 'public' and last_value is not null
  order by sequencename`;
