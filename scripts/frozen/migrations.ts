import { createHash } from "node:crypto";
import type { Database } from "../../src/database/db.js";
import type { Migration } from "../../src/database/migrations/list.js";

/** A step of the schema as a release has it. */
export interface FrozenMigration {
  name: string;
  /** SHA-256 of each statement that it sends to an empty database, with single spaces for all white space. */
  statements: readonly string[];
}

/** Runs the steps on an empty database and returns what each of them sends. */
export async function frozenMigrations(db: Database, steps: readonly Migration[]): Promise<FrozenMigration[]> {
  const frozen: FrozenMigration[] = [];
  for (const step of steps) {
    const statements: string[] = [];
    await db.transaction((trx) =>
      step.up({
        async run(sql) {
          statements.push(hashOf(sql));
          await trx.run(sql);
        },
      }),
    );
    frozen.push({ name: step.name, statements });
  }
  return frozen;
}

function hashOf(sql: string): string {
  return createHash("sha256").update(sql.replaceAll(/\s+/g, " ").trim()).digest("hex");
}
