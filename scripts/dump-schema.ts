import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { migrate } from "../src/database/migrations/migrate.js";
import { withEmptyDatabase } from "./schema/empty-database.js";
import { schemaText } from "./schema/text.js";

const file = fileURLToPath(new URL("../test/schema.sql", import.meta.url));

const text = await withEmptyDatabase(async (db) => {
  await migrate(db);
  return schemaText(db);
});
if (!process.argv.includes("--check")) {
  await writeFile(file, text);
} else if (text !== (await readFile(file, "utf8").catch(() => ""))) {
  console.error("test/schema.sql is not the schema of the migrated database: run `npx tsx scripts/dump-schema.ts`");
  process.exitCode = 1;
}
