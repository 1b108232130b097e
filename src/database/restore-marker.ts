import { type Db, rows } from "./connection.js";

/**
 * A row among the schema's steps from the moment in which a backup is loaded until single-use values handed out since are
 * voided. No version of the relay starts on a step that it does not know.
 */
export const restoreMarker = "restored-not-yet-void";

/** Whether the database has the table that records the schema's steps. */
export async function hasJournal(db: Db): Promise<boolean> {
  const [journal] = await rows<{ present: boolean }>(
    db,
    "select to_regclass('schema_migrations') is not null as present",
  );
  return journal?.present === true;
}

export async function isHalfRestored(db: Db): Promise<boolean> {
  if (!(await hasJournal(db))) return false;
  const found = await rows(db, "select 1 from schema_migrations where name = :restoreMarker", { restoreMarker });
  return found.length > 0;
}

export async function removeRestoreMarker(db: Db): Promise<void> {
  await rows(db, "delete from schema_migrations where name = :restoreMarker", { restoreMarker });
}
