import { createHash } from "node:crypto";
import type { Migration } from "../../src/database/migrations/list.js";

/** A step of the schema as a release has it. */
export interface FrozenMigration {
  name: string;
  /** SHA-256 of its SQL, with single spaces for all white space. */
  hash: string;
}

export function frozenMigrations(steps: readonly Migration[]): FrozenMigration[] {
  return steps.map(({ name, sql }) => ({ name, hash: hashOf(sql) }));
}

function hashOf(sql: string): string {
  return createHash("sha256").update(sql.replaceAll(/\s+/g, " ").trim()).digest("hex");
}
