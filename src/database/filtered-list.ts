import knex, { type Knex } from "knex";
import type { Reader } from "./db.js";

/** It writes statements and has no connection of its own. */
const builder = knex({ client: "pg" });

/** A list whose conditions and order depend on a filter. */
export type FilteredList = Knex.QueryBuilder;

/** Begins a statement on a table. Only `readList` sends it. */
export function listOf(table: string): FilteredList {
  return builder(table);
}

/** A part of a statement that the builder has no method for, such as a comparison of rows. */
export const sqlPart = (text: string, ...values: readonly Knex.Value[]): Knex.Raw => builder.raw(text, [...values]);

/** The check of distributed tables finds a built statement by this comment, because the sources do not have its text. */
export const builtMark = "-- built";
const everyShardMark = "-- every shard";

/** `everyShard`: the list names no device, so on a distributed database every machine is asked. */
export function readList<T>(db: Reader, list: FilteredList, { everyShard = false } = {}): Promise<T[]> {
  const { text, bindings } = namedStatement(list);
  const marks = everyShard ? [builtMark, everyShardMark] : [builtMark];
  return db.rows<T>(`${marks.join("\n")}\n${text}`, bindings);
}

/** A built statement with names for its values, as the door takes it. */
export function namedStatement(query: Knex.QueryBuilder): { text: string; bindings: Record<string, unknown> } {
  const { sql, bindings } = query.toSQL().toNative();
  return {
    text: sql.replaceAll(/\$(\d+)/g, ":value$1"),
    bindings: Object.fromEntries(bindings.map((value, i) => [`value${i + 1}`, value])),
  };
}
