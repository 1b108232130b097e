import knex, { type Knex } from "knex";
import type { Statements } from "../../src/database/db.js";
import { namedStatement } from "../../src/database/filtered-list.js";
import type { AnyRow } from "./any-row.js";

/** It writes statements and has no connection of its own. */
const builder = knex({ client: "pg" });

/** Builds a statement on one table, which is sent when it is awaited. */
export function tableOf(db: Statements, name: string) {
  const query = builder<AnyRow, AnyRow[]>(name);
  // biome-ignore lint/suspicious/noThenProperty: a builder is awaited; this one is sent through the door
  query.then = (done, failed) => send(db, query).then(done as never, failed);
  return query;
}

/** The rows, or the only row of `first()`. */
async function send(db: Statements, query: Knex.QueryBuilder): Promise<unknown> {
  const { text, bindings } = namedStatement(query);
  const rows = await db.rows<AnyRow>(text, bindings);
  return query.toSQL().method === "first" ? rows[0] : rows;
}
