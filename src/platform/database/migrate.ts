import type { Knex } from "knex";
import { softwareVersion } from "../software-version.js";
import { rows } from "./connection.js";
import { type Migration, migrations } from "./migrations/list.js";
import { isHalfRestored, restoreMarker } from "./restore-marker.js";
import { withoutSilenceBound } from "./silent-connection.js";

// An arbitrary number that all versions of the relay share.
const migrationLock = 7_350_201;

/**
 * Brings the database's schema up to date. Each step runs in a transaction of its own under a lock, so that several
 * nodes may start at once and a crash leaves the last complete step. Returns the names of the steps that ran.
 * Throws if the database has a step that this version does not know, before anything is changed: it belongs to a newer
 * relay. Throws if a backup was loaded and single-use values handed out since have not been voided yet, unless
 * `halfRestored` is set.
 */
export async function migrate(
  db: Knex,
  steps: readonly Migration[] = migrations,
  options: { halfRestored?: boolean } = {},
): Promise<string[]> {
  await inMigrationLock(db, createJournal);
  await refuseNewerSchema(db, steps);
  const ran: string[] = [];
  for (const step of steps) {
    if (await runStep(db, step)) ran.push(step.name);
  }
  if (options.halfRestored !== true) await refuseHalfRestored(db);
  return ran;
}

/** Throws if a backup was loaded and single-use values handed out since have not been voided yet. */
export async function refuseHalfRestored(db: Knex): Promise<void> {
  if (!(await isHalfRestored(db))) return;
  throw new Error(
    "a backup was loaded into this database, and single-use values handed out since have not been voided yet: " +
      "run `mls-relay after-restore`",
  );
}

/** Whether every step of this version has run. Readiness depends on it. */
export async function isMigrated(db: Knex, steps: readonly Migration[] = migrations): Promise<boolean> {
  const [journal] = await rows<{ present: boolean }>(
    db,
    `select to_regclass('schema_migrations') is not null as present`,
  );
  if (!journal?.present) return false;
  const known = await namesOfSteps(db);
  return steps.every((step) => known.has(step.name));
}

async function runStep(db: Knex, step: Migration): Promise<boolean> {
  return inMigrationLock(db, async (trx) => {
    if ((await namesOfSteps(trx)).has(step.name)) return false;
    await step.up(trx);
    await rows(trx, "insert into schema_migrations (name) values (:name)", { name: step.name });
    return true;
  });
}

/** Throws where the schema belongs to a newer version. The schema never goes back: see docs/how-to/upgrade.md. */
export async function refuseNewerSchema(db: Knex, steps: readonly Migration[] = migrations): Promise<void> {
  const ours = new Set([...steps.map((step) => step.name), restoreMarker]);
  const newer = [...(await namesOfSteps(db))].filter((name) => !ours.has(name));
  if (newer.length > 0) {
    throw new Error(
      `the database was migrated by a newer version of the relay than ${softwareVersion} (unknown steps: ` +
        `${newer.join(", ")}): run that version or a later one; to go back, restore a backup from before the upgrade ` +
        "(docs/how-to/upgrade.md)",
    );
  }
}

/** A transaction that only one node runs at a time, without a statement timeout. */
export function inMigrationLock<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return db.transaction((trx) =>
    withoutSilenceBound(trx, async () => {
      await trx.raw("set local statement_timeout = 0");
      await rows(trx, "select pg_advisory_xact_lock(:migrationLock::bigint)", { migrationLock });
      return work(trx);
    }),
  );
}

async function createJournal(trx: Knex): Promise<void> {
  await trx.raw(`
    create table if not exists schema_migrations (
      name text primary key,
      applied_at timestamptz not null default now()
    )
  `);
}

async function namesOfSteps(db: Knex): Promise<Set<string>> {
  const found = await rows<{ name: string }>(db, "select name from schema_migrations");
  return new Set(found.map((row) => row.name));
}
