import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createCitusDatabase } from "./citus.js";
import { databaseUrl, templateName } from "./database-names.js";

export interface TestDatabase {
  url: string;
  /** A small pool. */
  db: Database;
  /** Closes the pool and removes the database. */
  drop(): Promise<void>;
}

/** A separate, migrated database; with `empty`, a database without any table. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const coordinator = process.env["TEST_CITUS_URL"];
  if (coordinator) {
    const { url, drop } = await createCitusDatabase(coordinator, { name, empty: options.empty === true });
    return withPool(url, drop);
  }
  const template = options.empty ? "template0" : templateName;
  await onServer(`create database ${name} template ${template} ${inject("cheapCopies")}`);
  const url = databaseUrl(inject("postgresUrl"), name);
  return withPool(url, () => onServer(`drop database if exists ${name} with (force)`));
}

function withPool(url: string, remove: () => Promise<void>): TestDatabase {
  const db = createDatabase({ url, poolSize: 5 });
  return {
    url,
    db,
    async drop() {
      await db.close();
      await remove();
    },
  };
}

async function onServer(statement: string): Promise<void> {
  const maintenance = createDatabase({ url: inject("postgresUrl"), poolSize: 1 });
  try {
    await maintenance.run(statement);
  } finally {
    await maintenance.close();
  }
}
