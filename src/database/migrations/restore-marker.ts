import type { Db, Reader } from "../db.js";
import { hasTableSql } from "../suitable-database.js";

// A marker is a row among the schema's steps. No version of the relay starts on a step that it does not know.

/** From the moment in which a backup is loaded until single-use values handed out since are voided. */
export const restoreMarker = "restored-not-yet-void";

/** From the moment in which a backup for a move is begun: the relay continues on the database into which it is restored. */
export const moveMarker = "moved-away";

export const markers: readonly string[] = [restoreMarker, moveMarker];

/** Whether the database has the table that records the schema's steps. */
export async function hasJournal(db: Reader): Promise<boolean> {
  const journal = await db.one<{ present: boolean }>(`select ${hasTableSql("'knex_migrations'")} as present`);
  return journal?.present === true;
}

export async function readMarkers(db: Reader): Promise<string[]> {
  if (!(await hasJournal(db))) return [];
  const found = await db.rows<{ name: string }>("select name from knex_migrations where name = any(:markers)", {
    markers,
  });
  return found.map(({ name }) => name);
}

export async function addMarker(db: Pick<Db, "run">, name: string): Promise<void> {
  await db.run(
    `insert into knex_migrations (name, batch, migration_time)
     select :name::text, 0, now() where not exists (select from knex_migrations where name = :name::text)`,
    { name },
  );
}

export async function removeMarkers(db: Db, names: readonly string[]): Promise<void> {
  await db.run("delete from knex_migrations where name = any(:names)", { names });
}
