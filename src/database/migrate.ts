import { setTimeout } from "node:timers/promises";
import { softwareVersion } from "../platform/software-version.js";
import type { Database, Db, Transaction } from "./db.js";
import { sqlStateOf } from "./errors.js";
import { baseline } from "./migrations/0001-baseline.js";
import { type Migration, migrations } from "./migrations/list.js";
import { hasJournal, markers, moveMarker, readMarkers, restoreMarker } from "./restore-marker.js";

// An arbitrary number that all versions of the relay share.
const migrationLock = 7_350_201;

/** While a change of a table waits for its lock, everybody who reads the table waits behind it. */
const lockTimeoutMillis = 500;
const lockPauseMillis = 2_000;
const attemptsPerNotice = 24;

// The lock was not available in time, or a deadlock (PostgreSQL, appendix A).
const withoutLock: ReadonlySet<string | undefined> = new Set(["55P03", "40P01"]);

/** The last commit that works with schemas and backups from before the baseline; no released version used them. */
export const lastCommitBeforeBaseline = "ad09188c";

/**
 * Brings the database's schema up to date. Each step runs in its own transaction under a lock, so that several nodes may
 * start at once and a crash leaves the last complete step. Returns the names of the steps that ran. Throws, before
 * anything is changed, if the schema is of another version (`refuseOtherSchema`). Throws if the database has a marker that
 * is not among `accepted` (`refuseMarked`).
 */
export async function migrate(
  db: Database,
  steps: readonly Migration[] = migrations,
  options: { accepted?: readonly string[]; onWait?: OnWait } = {},
): Promise<string[]> {
  const { onWait } = options;
  const prepare = async (trx: Transaction) => {
    await refuseOtherSchema(trx, steps);
    await createJournal(trx);
  };
  await inMigrationLock(db, prepare, onWait);
  const ran: string[] = [];
  for (const step of steps) {
    if (await inMigrationLock(db, (trx) => runStep(trx, step), onWait)) ran.push(step.name);
  }
  await refuseMarked(db, options.accepted);
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
export async function isMigrated(db: Db): Promise<boolean> {
  const known = new Set(await namesOfSteps(db));
  return migrations.every((step) => known.has(step.name));
}

async function runStep(trx: Transaction, step: Migration): Promise<boolean> {
  if ((await namesOfSteps(trx)).includes(step.name)) return false;
  await step.up(trx);
  await trx.run("insert into schema_migrations (name) values (:name)", { name: step.name });
  return true;
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
  const ours = new Set([...steps.map((step) => step.name), ...markers]);
  const unknown = names.filter((name) => !ours.has(name));
  if (unknown.length === 0) return { age: "known", unknown };
  return { age: names.includes(baseline.name) ? "newer" : "earlier", unknown };
}

/** Is told, now and then, that a change of the schema still waits for a lock. */
type OnWait = (message: string) => void;

/**
 * A transaction that only one node runs at a time, without a statement timeout. It waits only briefly for the lock of a table, as
 * one that a dump holds, and is repeated until it gets it.
 */
export async function inMigrationLock<T>(
  db: Database,
  work: (trx: Transaction) => Promise<T>,
  onWait: OnWait = () => undefined,
): Promise<T> {
  const attempt = () =>
    db.transaction((trx) =>
      trx.withoutTimeout(async () => {
        await trx.run("select pg_advisory_xact_lock(:migrationLock::bigint)", { migrationLock });
        await trx.run(`set local lock_timeout = ${lockTimeoutMillis}`);
        return work(trx);
      }),
    );
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!withoutLock.has(sqlStateOf(error))) throw error;
      if (failures % attemptsPerNotice === 0)
        onWait("a change of the schema waits for a table that a dump, a backup or another long transaction uses");
      await setTimeout(lockPauseMillis);
    }
  }
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
