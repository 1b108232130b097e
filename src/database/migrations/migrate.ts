import { setTimeout } from "node:timers/promises";
import type { Knex } from "knex";
import { softwareVersion } from "../../platform/software-version.js";
import type { Database, Reader, Statements } from "../db.js";
import { sqlStateOf } from "../errors.js";
import { refuseOldPostgres } from "../server-version.js";
import { hasTableSql, refuseUnsuitableDatabase } from "../suitable-database.js";
import { type Migration, migrations } from "./list.js";
import { hasJournal, markers, moveMarker, readMarkers, restoreMarker } from "./restore-marker.js";

// An arbitrary number that all versions of the relay share. Knex's own lock is a row of a table, which two nodes cannot create
// at once on an empty database.
const migrationLock = 7_350_201;

/** While a change of a table waits for its lock, everybody who reads the table waits behind it. */
const lockTimeoutMillis = 500;
const lockPauseMillis = 2_000;
const attemptsPerNotice = 24;

/**
 * PostgreSQL ends an autovacuum only for somebody who has waited for its lock for `deadlock_timeout`, and one of a large table takes
 * hours: the first attempt, and one a minute, waits longer than that.
 */
const limitLockWait = `select set_config('lock_timeout',
    (:millis::integer + case when :isPatient::boolean then setting::integer else 0 end)::text, true)
  from pg_settings where name = 'deadlock_timeout'`;

// The lock was not available in time, or a deadlock (PostgreSQL, appendix A).
const withoutLock: ReadonlySet<string | undefined> = new Set(["55P03", "40P01"]);

/** The last commit that works with databases and backups from before the baseline; no released version made them. */
export const lastCommitBeforeBaseline = "ad09188c";

const baseline = "0001-baseline";

/**
 * Brings the database's schema up to date with Knex, which records the steps in `knex_migrations`. Each step runs in its own
 * transaction under a lock, so that several nodes may start at once and a crash leaves the last complete step. Returns the
 * names of the steps that ran. Throws, before anything is changed, if the schema is of another version (`refuseOtherSchema`).
 * Throws if PostgreSQL is too old, the database is not suitable, or it has a marker that is not among `accepted` (`refuseMarked`).
 */
export async function migrate(
  db: Database,
  steps: readonly Migration[] = migrations,
  options: { accepted?: readonly string[]; onWait?: OnWait; onStep?: OnStep } = {},
): Promise<string[]> {
  const { onWait, onStep } = options;
  await refuseOldPostgres(db);
  await refuseUnsuitableDatabase(db, { createsTables: false });
  const missing = await inMigrationLock(db, (trx) => findMissing(trx, steps), onWait);
  if (missing.length > 0) await refuseUnsuitableDatabase(db, { createsTables: true });
  const ran: string[] = [];
  for (const [index, step] of missing.entries()) {
    onStep?.(index / missing.length, step.name);
    ran.push(...(await inMigrationLock(db, (trx, migrator) => runStep(trx, migrator, step), onWait)));
  }
  await refuseMarked(db, options.accepted);
  return ran;
}

async function findMissing(db: Reader, steps: readonly Migration[]): Promise<Migration[]> {
  await refuseOtherSchema(db, steps);
  const known = new Set(await namesOfSteps(db));
  return steps.filter((step) => !known.has(step.name));
}

/** Runs the step unless another node has run it meanwhile. */
async function runStep(trx: Statements, migrator: Knex.Migrator, step: Migration): Promise<string[]> {
  const [, ran] = await migrator.up({
    migrationSource: {
      getMigrations: async () => [step],
      getMigrationName: ({ name }: Migration) => name,
      getMigration: async ({ sql }: Migration) => ({
        up: () => trx.run(sql),
        down: () => Promise.reject(new Error("the schema never goes back")),
      }),
    },
    // It would refuse all steps but this one; `refuseOtherSchema` compares them.
    disableMigrationsListValidation: true,
  });
  return ran;
}

const refusals: Readonly<Record<string, string>> = {
  [restoreMarker]:
    "a backup was loaded into this database, and single-use values handed out since have not been voided yet: " +
    "run `mls-relay after-restore`",
  [moveMarker]:
    "this database was moved: start the relay on the one into which the backup was restored, or give the move up with " +
    "`mls-relay backup --cancel-move`",
};

/**
 * Throws if a backup was loaded and single-use values handed out since have not been voided yet, or if the database was
 * moved, unless the marker of this state is accepted.
 */
export async function refuseMarked(db: Database, accepted: readonly string[] = []): Promise<void> {
  for (const marker of await readMarkers(db)) {
    if (!accepted.includes(marker)) throw new Error(refusals[marker]);
  }
}

/** Whether every step of this version has run. Readiness depends on it. */
export async function isMigrated(db: Reader): Promise<boolean> {
  const known = new Set(await namesOfSteps(db));
  return migrations.every((step) => known.has(step.name));
}

/**
 * Throws if the schema has steps that this version does not know. The schema never goes back: see docs/how-to/upgrade.md.
 */
export async function refuseOtherSchema(db: Reader, steps: readonly Migration[] = migrations): Promise<void> {
  if (await isOfEarlierState(db)) {
    throw new Error(
      `the database was made by an earlier state of the relay: commit ${lastCommitBeforeBaseline} is the last one that can ` +
        "serve it, and nothing was changed; begin with a new, empty database (docs/how-to/upgrade.md)",
    );
  }
  const { age, unknown } = compareSteps(await namesOfSteps(db), steps);
  if (age !== "known") {
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
  const ours = new Set([...steps.map((step) => step.name), ...markers]);
  const unknown = names.filter((name) => !ours.has(name));
  if (unknown.length === 0) return { age: "known", unknown };
  return { age: names.includes(baseline) ? "newer" : "earlier", unknown };
}

/** Is told of each step before it runs, and which part of the steps is done, from 0 to 1. */
type OnStep = (part: number, step: string) => void;

/** Is told, now and then, that a change of the schema still waits for a lock. */
type OnWait = (message: string) => void;

/**
 * A transaction that only one node runs at a time, without a statement timeout. It waits only briefly for the lock of a table, as
 * one that a dump holds, and is repeated until it gets it.
 */
export async function inMigrationLock<T>(
  db: Database,
  work: (trx: Statements, migrator: Knex.Migrator) => Promise<T>,
  onWait: OnWait = () => undefined,
): Promise<T> {
  const attempt = (isPatient: boolean) =>
    db.migrating(async (trx, migrator) => {
      await trx.run("select pg_advisory_xact_lock(:migrationLock::bigint)", { migrationLock });
      await trx.run(limitLockWait, { millis: lockTimeoutMillis, isPatient });
      return work(trx, migrator);
    });
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt(failures % attemptsPerNotice === 0);
    } catch (error) {
      if (!withoutLock.has(sqlStateOf(error))) throw error;
      if (failures % attemptsPerNotice === 0)
        onWait("a change of the schema waits for a table that a dump, a backup or another long transaction uses");
      await setTimeout(lockPauseMillis);
    }
  }
}

/** Before the first release the relay recorded its steps itself. */
async function isOfEarlierState(db: Reader): Promise<boolean> {
  if (await hasJournal(db)) return false;
  const found = await db.one<{ present: boolean }>(
    `select ${hasTableSql("'schema_migrations'")} and ${hasTableSql("'devices'")} as present`,
  );
  return found?.present === true;
}

/** Empty if the database has no schema yet. */
async function namesOfSteps(db: Reader): Promise<string[]> {
  if (!(await hasJournal(db))) return [];
  const found = await db.rows<{ name: string }>("select name from knex_migrations order by id");
  return found.map((row) => row.name);
}
