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
    const note = ({ sql, bindings }: { sql: string; bindings?: unknown }): void => {
      if (!/^(BEGIN|COMMIT);?$/i.test(sql)) statements.push(hashOf(sql, bindings));
    };
    db.on("query", note);
    await db.transaction((trx) => step.up(trx));
    db.removeListener("query", note);
    frozen.push({ name: step.name, statements });
  }
  return frozen;
}

function hashOf(sql: string, bindings: unknown): string {
  const text = `${sql.replaceAll(/\s+/g, " ").trim()}\n${JSON.stringify(bindings ?? [])}`;
  return createHash("sha256").update(text).digest("hex");
}
