import { type SqliteDriver, type SqliteValue, sqliteStoreOver } from "../store/sqlite-driver.js";
import type { Store } from "../store/store.js";
import { durable, journal, oneAtATime } from "./one-at-a-time.js";

/** The part of `@op-engineering/op-sqlite` that is used. */
export interface OpSqlite {
  open(options: OpSqliteOptions): OpSqliteDatabase;
}

export interface OpSqliteOptions {
  name: string;
  location?: string;
  /** Of SQLCipher, if op-sqlite is built with it. */
  encryptionKey?: string;
}

type OpSqliteValue = string | number | ArrayBuffer;

export interface OpSqliteDatabase {
  execute(sql: string, values?: OpSqliteValue[]): Promise<{ rows: Record<string, unknown>[] }>;
  executeRaw(sql: string): Promise<unknown>;
  executeBatch(statements: [sql: string, values: OpSqliteValue[]][]): Promise<unknown>;
  close(): void;
}

/** A store in a file of op-sqlite: `opSqliteStore({ open }, { name: "groups.sqlite" })`. */
export function opSqliteStore(opSqlite: OpSqlite, options: OpSqliteOptions): Store {
  const { location = "", name } = options;
  return sqliteStoreOver(oneAtATime(`op-sqlite ${location}/${name}`, () => open(opSqlite, options)));
}

async function open(opSqlite: OpSqlite, options: OpSqliteOptions): Promise<SqliteDriver> {
  const database = opSqlite.open(options);
  // A pragma that answers with a row has to be asked by `executeRaw` in Node.js.
  await database.executeRaw(journal);
  for (const sql of durable) await database.execute(sql);
  return {
    execute: async (sql, values = []) => (await database.execute(sql, values.map(bound))).rows,
    transaction: async (statements) => {
      await database.executeBatch(statements.map(([sql, values]) => [sql, values.map(bound)]));
    },
    close: async () => database.close(),
  };
}

/** op-sqlite reads the whole buffer behind an array. */
function bound(value: SqliteValue): OpSqliteValue {
  return value instanceof Uint8Array ? new Uint8Array(value).buffer : value;
}
