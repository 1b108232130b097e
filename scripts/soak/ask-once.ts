import { createDatabase } from "../../src/database/pool/pool.js";

/** A busy machine may take long to answer; the server may also be about to start again. */
const connectTimeoutSeconds = 60;

/** The rows of a statement, over a new connection, because the server may have been killed since the last one. */
export async function askOnce<T>(url: string, sql: string, bindings: Record<string, string> = {}): Promise<T[]> {
  const db = createDatabase({ url, poolSize: 1, connectTimeoutSeconds });
  return db.rows<T>(sql, bindings).finally(() => db.close());
}
