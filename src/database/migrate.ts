import { softwareVersion } from "../platform/software-version.js";
import type { Database, Db, Transaction } from "./db.js";
import { baseline } from "./migrations/0001-baseline.js";
import { type Migration, migrations } from "./migrations/list.js";
import { hasJournal, isHalfRestored, restoreMarker } from "./restore-marker.js";

// An arbitrary number that all versions of the relay share.
const migrationLock = 7_350_201;

/** The last commit that works with schemas and backups from before the baseline; no released version used them. */
export const lastCommitBeforeBaseline = "ad09188c";

/**
 * Brings the database's schema up to date. Each step runs in its own transaction under a lock, so that several nodes may
 * start at once and a crash leaves the last complete step. Returns the names of the steps that ran. Throws, before
 * anything is changed, if the schema is of another version (`refuseOtherSchema`). Throws if a backup was loaded and
 * single-use values handed out since have not been voided yet, unless `halfRestored` is set.
 */
export async function migrate(
  db: Database,
  steps: readonly Migration[] = migrations,
  options: { halfRestored?: boolean } = {},
): Promise<string[]> {
  await inMigrationLock(db, async (trx) => {
    await refuseOtherSchema(trx, steps);
    await createJournal(trx);
  });
  const ran: string[] = [];
  for (const step of steps) {
    if (await runStep(db, step)) ran.push(step.name);
  }
  if (options.halfRestored !== true) await refuseHalfRestored(db);
  return ran;
}

/** Throws if a backup was loaded and single-use values handed out since have not been voided yet. */
export async function refuseHalfRestored(db: Database): Promise<void> {
  if (!(await isHalfRestored(db))) return;
  throw new Error(
    "a backup was loaded into this database, and single-use values handed out since have not been voided yet: " +
      "run `mls-relay after-restore`",
  );
}

/** Whether every step of this version has run. Readiness depends on it. */
export async function isMigrated(db: Db): Promise<boolean> {
  const known = new Set(await namesOfSteps(db));
  return migrations.every((step) => known.has(step.name));
}

async function runStep(db: Database, step: Migration): Promise<boolean> {
  return inMigrationLock(db, async (trx) => {
    if ((await namesOfSteps(trx)).includes(step.name)) return false;
    await step.up(trx);
    await trx.run("insert into schema_migrations (name) values (:name)", { name: step.name });
    return true;
  });
}

/**
 * Throws if the schema has steps that this version does not know. The schema never goes back: see docs/how-to/upgrade.md.
 */
export async function refuseOtherSchema(db: Db, steps: readonly Migration[] = migrations): Promise<void> {
  const names = await namesOfSteps(db);
  const { age, unknown } = compareSteps(names, steps);
  if (age === "earlier") {
    throw new Error(
      "the database was made by an earlier state of the relay: commit " +
        `${lastCommitBeforeBaseline} is the last one that can serve it, and nothing was changed; run that commit, or ` +
        "use a new, empty database (docs/how-to/upgrade.md)",
    );
  }
  if (age === "newer") {
    throw new Error(
      `the database was migrated by a newer version of the relay than ${softwareVersion} (unknown steps: ` +
        `${unknown.join(", ")}): run that version or a later one; to go back, restore a backup from before the upgrade ` +
        "(docs/how-to/upgrade.md)",
    );
  }
}

/**
 * How the steps that a database or backup has run compare with those of this version, and which of them are unknown.
 */
export function compareSteps(
  names: readonly string[],
  steps: readonly Migration[] = migrations,
): { age: "known" | "earlier" | "newer"; unknown: string[] } {
  const ours = new Set([...steps.map((step) => step.name), restoreMarker]);
  const unknown = names.filter((name) => !ours.has(name));
  if (unknown.length === 0) return { age: "known", unknown };
  return { age: names.includes(baseline.name) ? "newer" : "earlier", unknown };
}

/** A transaction that only one node runs at a time, without a statement timeout. */
export function inMigrationLock<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction((trx) =>
    trx.withoutTimeout(async () => {
      await trx.run("select pg_advisory_xact_lock(:migrationLock::bigint)", { migrationLock });
      return work(trx);
    }),
  );
}

async function createJournal(trx: Transaction): Promise<void> {
  await trx.run(`
    create table if not exists schema_migrations (
      name text primary key,
      applied_at timestamptz not null default now()
    )
  `);
}

/** Empty if the database has no schema yet. */
async function namesOfSteps(db: Db): Promise<string[]> {
  if (!(await hasJournal(db))) return [];
  const found = await db.rows<{ name: string }>("select name from schema_migrations order by name");
  return found.map((row) => row.name);
}
