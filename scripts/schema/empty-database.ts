import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Database } from "../../src/database/db.js";
import { startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createLogger } from "../../src/platform/logger.js";

const settings = { fsync: "off", shared_buffers: "16MB" };

/** Runs work on a new, empty database in a separate PostgreSQL. */
export async function withEmptyDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "mls-relay-schema-"));
  const postgres = await startEmbeddedPostgres({ dataDir, logger: createLogger({ level: "error" }), settings });
  const db = createDatabase({ url: postgres.url, poolSize: 1 });
  try {
    return await work(db);
  } finally {
    await db.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
