import type { Db } from "./db.js";

/**
 * A row among the schema's steps from the moment in which a backup is loaded until single-use values handed out since are
 * voided. No version of the relay starts on a step that it does not know.
 */
export const restoreMarker = "restored-not-yet-void";

/** Whether the database has the table that records the schema's steps. */
export async function hasJournal(db: Db): Promise<boolean> {
  const journal = await db.one<{ present: boolean }>("select to_regclass('schema_migrations') is not null as present");
  return journal?.present === true;
}

export async function isHalfRestored(db: Db): Promise<boolean> {
  if (!(await hasJournal(db))) return false;
  const found = await db.rows("select 1 from schema_migrations where name = :restoreMarker", { restoreMarker });
  return found.length > 0;
}

export async function removeRestoreMarker(db: Db): Promise<void> {
  await db.run("delete from schema_migrations where name = :restoreMarker", { restoreMarker });
}
