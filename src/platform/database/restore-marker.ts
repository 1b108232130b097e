import type { Knex } from "knex";
import { type Db, rows } from "./connection.js";

/**
 * A row among the schema's steps from the moment in which a backup is loaded until single-use values handed out since are
 * voided. No version of the relay starts on a step that it does not know.
 */
export const restoreMarker = "restored-not-yet-void";

export async function isHalfRestored(db: Knex): Promise<boolean> {
  const [journal] = await rows<{ present: boolean }>(
    db,
    "select to_regclass('schema_migrations') is not null as present",
  );
  if (!journal?.present) return false;
  const found = await rows(db, "select 1 from schema_migrations where name = :restoreMarker", { restoreMarker });
  return found.length > 0;
}

export async function removeRestoreMarker(db: Db): Promise<void> {
  await rows(db, "delete from schema_migrations where name = :restoreMarker", { restoreMarker });
}
