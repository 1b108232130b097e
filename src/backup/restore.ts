import { pipeline } from "node:stream/promises";
import type { MasterKey } from "../auth/master-key.js";
import type { Database } from "../database/db.js";
import { type Migration, migrations } from "../database/migrations/list.js";
import { compareSteps, lastCommitBeforeBaseline, migrate } from "../database/migrations/migrate.js";
import { addMarker, hasJournal, restoreMarker } from "../database/migrations/restore-marker.js";
import { type Connection, openConnection } from "../database/pool/connection.js";
import type { BackupEnd, BackupHeader, BackupPart, TableHeader } from "./archive.js";
import { DamagedBackup } from "./frames.js";
import {
  copyIn,
  createPartitions,
  deleteSealed,
  emptyTable,
  isUsed,
  prepareSession,
  readMigrations,
  readTables,
  setSequence,
} from "./store.js";

export interface RestoreOptions {
  db: Database;
  url: string;
  /** The master key that the relay will use; undefined if there is none. */
  masterKey: MasterKey | undefined;
  /** Restores without the backup's master key, and without everything that only this key opens. */
  withoutMasterKey: boolean;
  /** Is told, again and again, which table is being loaded. */
  onTable?: (table: string) => void;
}

export interface Restored {
  header: BackupHeader;
  end: BackupEnd;
  /** Tables of the backup that do not belong to the relay and were skipped. */
  skipped: readonly string[];
}

/**
 * Loads a backup, in one transaction, into a database that no relay has used, and migrates its schema to this version. The
 * database is then marked as half restored: no relay starts on it until `after-restore` has run.
 */
export async function restoreSnapshot(parts: AsyncGenerator<BackupPart>, options: RestoreOptions): Promise<Restored> {
  const first = await parts.next();
  if (first.done === true || first.value.kind !== "header") throw new DamagedBackup("the backup has no header");
  const { header } = first.value;
  const steps = migrationsOf(header);
  const keyFits = checkMasterKey(header, options);
  const client = await openConnection(options.url);
  try {
    await prepareSession(client);
    await refuseUsed(client, steps);
    await migrate(options.db, steps);
    await client.run("begin");
    const loaded = await load(client, parts, options.onTable);
    if (!keyFits) await deleteSealed(client);
    await addMarker(client, restoreMarker);
    await client.run("commit");
    await client.run("analyze");
    await migrate(options.db, migrations, { accepted: [restoreMarker] });
    return { header, ...loaded };
  } finally {
    await client.close();
  }
}

/** True if the master key opens the sealed values of the backup. Throws if it does not, unless that is accepted. */
function checkMasterKey({ sealed }: BackupHeader, options: RestoreOptions): boolean {
  if (sealed === null) return true;
  try {
    options.masterKey?.open(sealed.purpose, Buffer.from(sealed.base64, "base64"));
    if (options.masterKey !== undefined) return true;
  } catch (problem) {
    if (!options.withoutMasterKey) throw new Error(wrongKeyMessage, { cause: problem });
  }
  if (!options.withoutMasterKey) throw new Error(wrongKeyMessage);
  return false;
}

const wrongKeyMessage =
  "the backup was made with another master key than the one configured here: set MASTER_KEY or MASTER_KEY_FILE to the " +
  "key of that relay, or restore with --without-master-key and lose what only that key opens (see docs/how-to/backup.md)";

/** The migrations that the backup's database had. Throws if this version does not know all of them. */
export function migrationsOf(header: BackupHeader): readonly Migration[] {
  const { age, unknown } = compareSteps(header.migrations);
  if (age === "earlier") {
    throw new Error(
      `the backup was made by an earlier state of the relay: commit ${lastCommitBeforeBaseline} is the last one that can ` +
        "restore it, and nothing was changed (docs/how-to/upgrade.md)",
    );
  }
  if (age === "newer") {
    throw new Error(
      `the backup was made by a newer version of the relay (${header.softwareVersion}; unknown migrations: ${unknown.join(", ")})`,
    );
  }
  const had = new Set(header.migrations);
  return migrations.filter(({ name }) => had.has(name));
}

async function refuseUsed(client: Connection, steps: readonly { name: string }[]): Promise<void> {
  if (await isUsed(client)) throw new Error("the database is not empty; restore the backup into an empty one");
  const names = new Set(steps.map(({ name }) => name));
  const beyond = (await hasJournal(client)) ? (await readMigrations(client)).filter((name) => !names.has(name)) : [];
  if (beyond.length > 0) {
    throw new Error("the database was migrated to a newer version than the backup has; restore into an empty one");
  }
}

async function load(
  client: Connection,
  parts: AsyncGenerator<BackupPart>,
  onTable: RestoreOptions["onTable"],
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
    if (known.has(part.table.name)) await loadTable({ client, table: part.table, parts, onTable });
    else skipped.push(await skipTable(part.table, parts));
  }
  throw new DamagedBackup("the backup is truncated: its end is missing");
}

async function loadTable(given: {
  client: Connection;
  table: TableHeader;
  parts: AsyncGenerator<BackupPart>;
  onTable: RestoreOptions["onTable"];
}): Promise<void> {
  const { client, table, parts, onTable } = given;
  await emptyTable(client, table.name);
  await createPartitions(client, table);
  const into = client.copyIn(copyIn(table));
  let rows = 0;
  const data = async function* (): AsyncGenerator<Buffer> {
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
      const part = next.value;
      if (part.kind === "tableEnd") {
        rows = part.end.rows;
        return;
      }
      if (part.kind !== "data") throw new DamagedBackup("the parts of the backup are out of order");
      onTable?.(table.name);
      yield part.data;
    }
  };
  await pipeline(data, into);
  if (into.rowCount !== rows) throw new DamagedBackup(`${table.name} has ${into.rowCount} rows instead of ${rows}`);
}

async function skipTable({ name }: TableHeader, parts: AsyncGenerator<BackupPart>): Promise<string> {
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    if (next.value.kind === "tableEnd") return name;
  }
  throw new DamagedBackup("the backup is truncated: its end is missing");
}
