import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createDatabase } from "../src/database/connection.js";
import { startEmbeddedPostgres } from "../src/database/embedded/server.js";
import { migrate } from "../src/database/migrate.js";
import { createLogger } from "../src/platform/logger.js";
import { schemaText } from "./schema/text.js";

const file = fileURLToPath(new URL("../test/schema.sql", import.meta.url));
const settings = { fsync: "off", shared_buffers: "16MB" };

/** Migrates a new, empty database and returns its schema as text. */
async function dump(): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "mls-relay-schema-"));
  const postgres = await startEmbeddedPostgres({ dataDir, logger: createLogger({ level: "error" }), settings });
  const db = createDatabase({ url: postgres.url, poolSize: 1 });
  try {
    await migrate(db);
    return await schemaText(db);
  } finally {
    await db.destroy();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const text = await dump();
if (!process.argv.includes("--check")) {
  await writeFile(file, text);
} else if (text !== (await readFile(file, "utf8").catch(() => ""))) {
  console.error("test/schema.sql is not the schema of the migrated database: run `npx tsx scripts/dump-schema.ts`");
  process.exitCode = 1;
}
