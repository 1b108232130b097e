// Stand-ins for drivers of SQLite in React Native, over node:sqlite. They bind values and answer as the real ones do.

import { builtinModule } from "../../src/client/runtime/builtin-module.js";
import type { ExpoSqlite } from "../../src/groups/react-native/expo-sqlite.js";
import type { OpSqlite } from "../../src/groups/react-native/op-sqlite.js";

/** The types of Node.js 20 lack this module. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): {
    all(...values: unknown[]): Record<string, unknown>[];
    run(...values: unknown[]): unknown;
    columns(): unknown[];
  };
  close(): void;
}

const { DatabaseSync } = builtinModule("node:sqlite") as { DatabaseSync: new (file: string) => Database };

/** As the part of op-sqlite for Node.js, which tells statements with rows by their first word and answers bytes as a buffer. */
export const opSqlite: OpSqlite = {
  open({ name, location = "." }) {
    const database = new DatabaseSync(`${location}/${name}`);
    const bound = (values: readonly unknown[] = []) =>
      values.map((value) => (value instanceof ArrayBuffer ? emptyAsNull(Buffer.from(value)) : value));
    const run = (sql: string, values?: readonly unknown[]) => {
      const statement = database.prepare(sql);
      if (!/^select/i.test(sql)) {
        if (statement.columns().length > 0) throw new Error("This statement returns data");
        statement.run(...bound(values));
        return { rows: [] };
      }
      const rows = statement.all(...bound(values));
      return { rows: rows.map((row) => ({ ...row, ...("value" in row && { value: bufferOf(row["value"]) }) })) };
    };
    return {
      execute: async (sql, values) => run(sql, values),
      executeRaw: async (sql) => database.prepare(sql).all(),
      async executeBatch(statements) {
        database.exec("begin");
        try {
          for (const [sql, values] of statements) run(sql, values);
          database.exec("commit");
        } catch (problem) {
          database.exec("rollback");
          throw problem;
        }
      },
      close: () => database.close(),
    };
  },
};

/** As expo-sqlite, each call of which ends in a later turn. */
export const expoSqlite = (folder: string): ExpoSqlite => ({
  async openDatabaseAsync(name) {
    const database = new DatabaseSync(`${folder}/${name}`);
    const later = async <T>(work: () => T): Promise<T> => {
      await new Promise((resolve) => setImmediate(resolve));
      return work();
    };
    return {
      execAsync: (sql) => later(() => database.exec(sql)),
      getAllAsync: (sql, values) => later(() => database.prepare(sql).all(...values)),
      runAsync: (sql, values) => later(() => database.prepare(sql).run(...values)),
      closeAsync: () => later(() => database.close()),
    };
  },
});

/** The pointer to an empty array is null, and SQLite binds that as null. */
function emptyAsNull(bytes: Buffer): Buffer | null {
  return bytes.length === 0 ? null : bytes;
}

function bufferOf(value: unknown): ArrayBuffer | null {
  const bytes = value as Uint8Array;
  return bytes.length === 0 ? null : new Uint8Array(bytes).buffer;
}
