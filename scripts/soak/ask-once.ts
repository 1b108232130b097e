import { createDatabase, rows } from "../../src/platform/database/connection.js";

/** The rows of a statement, over a connection of its own: the server may have been killed since the last one. */
export async function askOnce<T>(url: string, sql: string, bindings: Record<string, string> = {}): Promise<T[]> {
  const db = createDatabase({ url, poolSize: 1 });
  return rows<T>(db, sql, bindings).finally(() => db.destroy());
}
