import { pipeline } from "node:stream/promises";
import type { Knex } from "knex";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { MasterKey } from "../platform/auth/master-key.js";
import { closeConnection, connectionSettings } from "../platform/database/connection.js";
import { migrate } from "../platform/database/migrate.js";
import { migrations } from "../platform/database/migrations/list.js";
import { restoreMarker } from "../platform/database/restore-marker.js";
import type { BackupEnd, BackupHeader, BackupPart, TableHeader } from "./archive.js";
import { DamagedBackup } from "./frames.js";
import type { Progress } from "./snapshot.js";
import {
  copyIn,
  deleteSealed,
  emptyTable,
  isUsed,
  prepareSession,
  readMigrations,
  readTables,
  setSequence,
} from "./store.js";

export interface RestoringOptions {
  db: Knex;
  url: string;
  /** The key that the relay will have; undefined where there is none. */
  masterKey: MasterKey | undefined;
  /** Restore although the backup's master key is lost, without what only that key opens. */
  withoutMasterKey: boolean;
  progress?: (progress: Progress) => void;
}

export interface Restored {
  header: BackupHeader;
  end: BackupEnd;
  /** Tables of the backup that are none of the relay's, and were left out. */
  skipped: readonly string[];
}

/**
 * Loads a backup into a database that no relay has run on, in one transaction, and brings its schema up to this version.
 * The database is then marked as half restored: no relay starts on it before `after-restore` has run.
 */
export async function restoreSnapshot(parts: AsyncGenerator<BackupPart>, options: RestoringOptions): Promise<Restored> {
  const first = await parts.next();
  if (first.done === true || first.value.kind !== "header") throw new DamagedBackup("the backup has no header");
  const { header } = first.value;
  const keyFits = checkMasterKey(header, options);
  const steps = stepsOf(header);
  const client = new pg.Client(connectionSettings(options.url));
  client.on("error", () => undefined);
  await client.connect();
  try {
    await prepareSession(client);
    await refuseUsed(client, steps);
    await migrate(options.db, steps);
    await client.query("begin");
    const loaded = await load(client, parts, options.progress);
    if (!keyFits) await deleteSealed(client);
    await client.query("insert into schema_migrations (name) values ($1)", [restoreMarker]);
    await client.query("commit");
    await client.query("analyze");
    await migrate(options.db, migrations, { halfRestored: true });
    return { header, ...loaded };
  } finally {
    await closeConnection(client);
  }
}

/** Whether what is sealed in the backup can be opened. Throws where it cannot, unless that is accepted. */
function checkMasterKey({ sealed }: BackupHeader, options: RestoringOptions): boolean {
  if (sealed === null) return true;
  try {
    options.masterKey?.open(sealed.purpose, Buffer.from(sealed.base64, "base64"));
    if (options.masterKey !== undefined) return true;
  } catch (problem) {
    if (!options.withoutMasterKey) throw new Error(keyIsMissing, { cause: problem });
  }
  if (!options.withoutMasterKey) throw new Error(keyIsMissing);
  return false;
}

const keyIsMissing =
  "this backup was made under another master key than the one configured here: set MASTER_KEY or MASTER_KEY_FILE to the " +
  "key of that relay, or restore with --without-master-key and lose what only it opens (see docs/how-to/backup.md)";

function stepsOf(header: BackupHeader) {
  const known = new Set(migrations.map(({ name }) => name));
  const newer = header.migrations.filter((name) => !known.has(name) && name !== restoreMarker);
  if (newer.length > 0) {
    throw new Error(
      `the backup was made by a newer version of the relay (${header.softwareVersion}; unknown steps: ${newer.join(", ")})`,
    );
  }
  const had = new Set(header.migrations);
  return migrations.filter(({ name }) => had.has(name));
}

async function refuseUsed(client: pg.Client, steps: readonly { name: string }[]): Promise<void> {
  if (await isUsed(client)) throw new Error("the database is not empty: a backup is restored into one of its own only");
  const { rows } = await client.query<{ present: boolean }>(
    "select to_regclass('schema_migrations') is not null as present",
  );
  const names = new Set(steps.map(({ name }) => name));
  const beyond = rows[0]?.present ? (await readMigrations(client)).filter((name) => !names.has(name)) : [];
  if (beyond.length > 0) {
    throw new Error(
      "the database has been set up for a newer version than the backup is of: restore into an empty one",
    );
  }
}

async function load(
  client: pg.Client,
  parts: AsyncGenerator<BackupPart>,
  progress: RestoringOptions["progress"],
): Promise<Pick<Restored, "end" | "skipped">> {
  const known = new Set((await readTables(client)).map(({ name }) => name));
  const skipped: string[] = [];
  for await (const part of parts) {
    if (part.kind === "end") {
      for (const sequence of part.end.sequences) await setSequence(client, sequence);
      await parts.next();
      return { end: part.end, skipped };
    }
    if (part.kind !== "table") throw new DamagedBackup("the parts of the backup are out of order");
    if (known.has(part.table.name)) await loadTable({ client, table: part.table, parts, progress });
    else skipped.push(await skipTable(part.table, parts));
  }
  throw new DamagedBackup("the backup is cut off: its end is missing");
}

async function loadTable(given: {
  client: pg.Client;
  table: TableHeader;
  parts: AsyncGenerator<BackupPart>;
  progress: RestoringOptions["progress"];
}): Promise<void> {
  const { client, table, parts, progress } = given;
  await emptyTable(client, table.name);
  const into = client.query(copyFrom(copyIn(table)));
  let [bytes, rows] = [0, 0];
  const data = async function* (): AsyncGenerator<Buffer> {
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
      const part = next.value;
      if (part.kind === "tableEnd") {
        rows = part.end.rows;
        return;
      }
      if (part.kind !== "data") throw new DamagedBackup("the parts of the backup are out of order");
      bytes += part.data.length;
      progress?.({ table: table.name, bytes });
      yield part.data;
    }
  };
  await pipeline(data, into);
  if (into.rowCount !== rows) throw new DamagedBackup(`${table.name} has ${into.rowCount} rows instead of ${rows}`);
  progress?.({ table: table.name, bytes, rows });
}

async function skipTable({ name }: TableHeader, parts: AsyncGenerator<BackupPart>): Promise<string> {
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    if (next.value.kind === "tableEnd") return name;
  }
  throw new DamagedBackup("the backup is cut off: its end is missing");
}
