import { readdirSync, readFileSync } from "node:fs";

/**
 * One step of the schema. Its name is its identity: once released, neither name nor content changes. A change of the schema
 * is a further step.
 */
export interface Migration {
  name: string;
  sql: string;
}

/** The build copies it beside the compiled code. */
const folder = new URL("sql/", import.meta.url);
const ending = ".sql";

/** Every step, in the order in which they run. */
export const migrations: readonly Migration[] = readdirSync(folder)
  .filter((file) => file.endsWith(ending))
  .sort()
  .map((file) => ({ name: file.slice(0, -ending.length), sql: readFileSync(new URL(file, folder), "utf8") }));
