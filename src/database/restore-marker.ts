import type { Db } from "./db.js";

// A marker is a row among the schema's steps. No version of the relay starts on a step that it does not know.

/** From the moment in which a backup is loaded until single-use values handed out since are voided. */
export const restoreMarker = "restored-not-yet-void";

/** From the moment in which a backup for a move is begun: the relay continues on the database into which it is restored. */
export const moveMarker = "moved-away";

export const markers: readonly string[] = [restoreMarker, moveMarker];

/** Whether the database has the table that records the schema's steps. */
export async function hasJournal(db: Db): Promise<boolean> {
  const journal = await db.one<{ present: boolean }>("select to_regclass('schema_migrations') is not null as present");
  return journal?.present === true;
}

export async function readMarkers(db: Db): Promise<string[]> {
  if (!(await hasJournal(db))) return [];
  const found = await db.rows<{ name: string }>("select name from schema_migrations where name = any(:markers)", {
    markers,
  });
  return found.map(({ name }) => name);
}

export async function addMarker(db: Pick<Db, "run">, name: string): Promise<void> {
  await db.run("insert into schema_migrations (name) values (:name) on conflict do nothing", { name });
}

export async function removeMarkers(db: Db, names: readonly string[]): Promise<void> {
  await db.run("delete from schema_migrations where name = any(:names)", { names });
}
