import { sealedRows } from "../auth/sealed-rows.js";
import type { Db } from "../database/db.js";
import { markers } from "../database/migrations/restore-marker.js";
import type { Connection } from "../database/pool/connection.js";
import { hasTableSql } from "../database/suitable-database.js";
import type { SealedSample, TableHeader } from "./archive.js";
import { DamagedBackup } from "./frames.js";

// These statements run on the single connection of a backup or restore, and find tables in PostgreSQL's catalogue.

/** Makes the output of COPY independent of the server's settings and version. */
const portableText = `
  set client_encoding = 'UTF8';
  set datestyle = 'ISO, YMD';
  set intervalstyle = 'postgres';
  set timezone = 'UTC';
  set extra_float_digits = 3;
  set bytea_output = 'hex';
  set standard_conforming_strings = on;`;

/** A table may take long, and so may the pauses between its rows. */
const noTimeouts = `
  set statement_timeout = 0;
  set idle_in_transaction_session_timeout = 0;
  set lock_timeout = '30s';`;

/** Sets up the connection. */
export async function prepareSession(client: Connection): Promise<void> {
  await client.run(`${portableText}${noTimeouts}`);
}

/**
 * Begins a transaction that sees one snapshot of the database and keeps the schema from changing. Waits for a running
 * migration.
 */
export async function beginSnapshot(client: Connection): Promise<void> {
  await client.run("begin isolation level repeatable read read only");
  const tables = await client.rows<{ name: string }>(
    `select format('%I', c.relname) as name from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
     order by 1`,
  );
  const names = tables.map(({ name }) => name).join(", ");
  if (names !== "") await client.run(`lock table ${names} in access share mode`);
}

/** Lists the logged tables except those of the migrations, without their generated columns. Partitions belong to their table. */
export async function readTables(client: Connection): Promise<TableHeader[]> {
  const rows = await client.rows<TableHeader>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
            (select json_agg(json_build_object('name', p.relname, 'bounds', pg_get_expr(p.relpartbound, p.oid)))
             from pg_inherits i join pg_class p on p.oid = i.inhrelid
             where i.inhparent = c.oid) as partitions
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
       and c.relnamespace = current_schema()::regnamespace and c.relname not like 'knex_migrations%'
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by c.oid, c.relname order by c.relname`,
  );
  return rows;
}

/** What each table takes on disk, with its partitions, in bytes. */
export async function readSizes(client: Connection): Promise<ReadonlyMap<string, number>> {
  const rows = await client.rows<{ name: string; bytes: number }>(
    `select c.relname as name,
            coalesce((select sum(pg_table_size(p.relid)) from pg_partition_tree(c.oid) p), pg_table_size(c.oid))::bigint as bytes
     from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

export async function readMigrations(client: Connection): Promise<string[]> {
  const rows = await client.rows<{ name: string }>(
    "select name from knex_migrations where name <> all(:markers) order by id",
    {
      markers,
    },
  );
  return rows.map(({ name }) => name);
}

export async function readServer(client: Connection): Promise<{ takenAt: number; postgres: string }> {
  const rows = await client.rows<{ takenAt: number; postgres: string }>(
    `select floor(extract(epoch from now()))::bigint as "takenAt", current_setting('server_version') as postgres`,
  );
  return rows[0] as { takenAt: number; postgres: string };
}

/** The last values of sequences. Sequences are not part of a snapshot, so they are read after the tables. */
export async function readSequences(client: Connection): Promise<{ name: string; value: number }[]> {
  const rows = await client.rows<{ name: string; value: number }>(
    `select sequencename as name, last_value as value from pg_sequences
     where schemaname = current_schema() and last_value is not null and sequencename not like 'knex_migrations%' order by 1`,
  );
  return rows;
}

export async function setSequence(client: Connection, { name, value }: { name: string; value: number }): Promise<void> {
  await client.run("select setval(format('%I', :name::text)::regclass, :value::bigint)", { name, value });
}

/** A value that is sealed under the master key; null if nothing is sealed yet. */
export async function readSealed(client: Connection): Promise<SealedSample | null> {
  const found = await client.one<{ purpose: string; sealed: Buffer }>(`${sealedRows} limit 1`);
  return found === undefined ? null : { purpose: found.purpose, base64: found.sealed.toString("base64") };
}

/** True if a relay has used this database: its first start creates keys. */
export async function isUsed(client: Connection): Promise<boolean> {
  for (const table of ["signing_keys", "secrets", "devices", "audit_entries"]) {
    const row = await client.one<{ present: boolean }>(`select ${hasTableSql(":table::text")} as present`, { table });
    if (row?.present && (await hasRows(client, table))) return true;
  }
  return false;
}

/** Deletes the rows that migrations put into a table, so that the backup's rows can take their place. */
export async function emptyTable(client: Connection, name: string): Promise<void> {
  if (await hasRows(client, name)) await client.run(`truncate ${quoted(name)}`);
}

async function hasRows(client: Connection, name: string): Promise<boolean> {
  const row = await client.one<{ found: boolean }>(`select exists (select from ${quoted(name)}) as found`);
  return row?.found === true;
}

/** Creates the partitions that the table does not have yet. */
export async function createPartitions(client: Connection, { name, partitions }: TableHeader): Promise<void> {
  for (const partition of partitions ?? []) {
    if (!boundsForm.test(partition.bounds)) throw new DamagedBackup(`a partition of ${name} has unreadable bounds`);
    await client.run(
      `create table if not exists ${quoted(partition.name)} partition of ${quoted(name)} ${partition.bounds}`,
    );
  }
}

const boundsForm = /^(DEFAULT|FOR VALUES FROM \('[\w-]+'\) TO \('[\w-]+'\))$/;

export function copyOut({ name, columns }: TableHeader): string {
  return `copy (select ${columns.map(quoted).join(", ")} from ${quoted(name)}) to stdout`;
}

export function copyIn({ name, columns }: TableHeader): string {
  return `copy ${quoted(name)} (${columns.map(quoted).join(", ")}) from stdin`;
}

/** Deletes the values that only a lost master key could open. */
export async function deleteSealed(client: Connection): Promise<void> {
  await client.run("delete from signing_keys; delete from secrets; delete from daily_keys");
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The state of the backups of all nodes and commands. Times are Unix seconds. */
export interface BackupState {
  /** Since when backups are expected. */
  watchedSince: number;
  /** When the relay last started a backup; null if never. */
  startedAt: number | null;
  /** When the last complete backup was finished; null if never. */
  finishedAt: number | null;
  bytes: number | null;
  /** Why the last backup failed; null if it did not. */
  problem: string | null;
  /** When an administrator asked for a backup that has not begun; null if none did. */
  requestedAt: number | null;
  /** Since when the relay is making a backup; null if it is not. */
  runningSince: number | null;
}

export type BackupOrigin = "schedule" | "administrator" | "command";

/** A backup that is being made. */
export interface BackupAttempt {
  startedAt: number;
  origin: BackupOrigin;
  /** The name of its file, without the folder. */
  file: string;
}

/** A backup that was made, or failed. */
export interface FinishedBackup extends BackupAttempt {
  finishedAt: number;
  bytes: number | null;
  problem: string | null;
}

const attemptsKept = 100;

export async function readBackupState(db: Db, now: number): Promise<BackupState> {
  const state = await db.one<BackupState>(
    `insert into backup_state (watched_since) values (:now::bigint)
     on conflict (one) do update set watched_since = backup_state.watched_since
     returning watched_since as "watchedSince", started_at as "startedAt", finished_at as "finishedAt", bytes, problem,
               requested_at as "requestedAt", running_since as "runningSince"`,
    { now },
  );
  return state as BackupState;
}

/** The latest attempts, the latest first. */
export async function readHistory(db: Db): Promise<FinishedBackup[]> {
  return db.rows<FinishedBackup>(
    `select started_at as "startedAt", finished_at as "finishedAt", origin, file, bytes, problem
     from backups order by id desc limit :attemptsKept::int`,
    { attemptsKept },
  );
}

/** Asks for a backup; false if one is asked for already. */
export async function recordRequest(db: Db, now: number): Promise<boolean> {
  const changed = await db.rows(
    "update backup_state set requested_at = :now::bigint where requested_at is null returning one",
    { now },
  );
  return changed.length > 0;
}

export async function recordStart(db: Db, now: number): Promise<void> {
  await db.run("update backup_state set started_at = :now::bigint, running_since = :now::bigint, requested_at = null", {
    now,
  });
}

export async function recordFailure(db: Db, failed: BackupAttempt & { now: number; problem: string }): Promise<void> {
  await db.run("update backup_state set problem = :problem::text, running_since = null, requested_at = null", {
    problem: failed.problem,
  });
  await insertAttempt(db, { ...failed, finishedAt: failed.now, bytes: null });
}

export async function recordFinish(db: Db, made: BackupAttempt & { now: number; bytes: number }): Promise<void> {
  await db.run(
    `insert into backup_state (watched_since, finished_at, bytes) values (:now::bigint, :now::bigint, :bytes::bigint)
     on conflict (one) do update
     set finished_at = excluded.finished_at, bytes = excluded.bytes, problem = null,
         running_since = case when :origin::text = 'command' then backup_state.running_since end`,
    { ...made },
  );
  await insertAttempt(db, { ...made, finishedAt: made.now, problem: null });
}

/** A backup whose process ended without finishing it is no longer running. */
export async function clearRunning(db: Db): Promise<void> {
  await db.run("update backup_state set running_since = null where running_since is not null");
}

async function insertAttempt(db: Db, attempt: FinishedBackup): Promise<void> {
  await db.run(
    `insert into backups (started_at, finished_at, origin, file, bytes, problem)
     values (:startedAt::bigint, :finishedAt::bigint, :origin::text, :file::text, :bytes::bigint, :problem::text)`,
    { ...attempt, problem: attempt.problem?.slice(0, longestProblem) ?? null },
  );
  await db.run("delete from backups where id <= (select max(id) from backups) - :attemptsKept::bigint", {
    attemptsKept,
  });
}

const longestProblem = 2_000;
