import { type SqliteDriver, type SqliteValue, sqliteStoreOver } from "../store/sqlite-driver.js";
import type { Store } from "../store/store.js";
import { durable, journal, oneAtATime } from "./one-at-a-time.js";

/** The part of `expo-sqlite` that is used. */
export interface ExpoSqlite {
  openDatabaseAsync(name: string, options?: { useNewConnection?: boolean }): Promise<ExpoSqliteDatabase>;
}

export interface ExpoSqliteDatabase {
  execAsync(sql: string): Promise<void>;
  getAllAsync(sql: string, values: SqliteValue[]): Promise<unknown[]>;
  runAsync(sql: string, values: SqliteValue[]): Promise<unknown>;
  closeAsync(): Promise<void>;
}

/** A store in a file of expo-sqlite: `expoSqliteStore(SQLite, "groups.sqlite")`. */
export function expoSqliteStore(expoSqlite: ExpoSqlite, name: string): Store {
  return sqliteStoreOver(oneAtATime(`expo-sqlite ${name}`, () => open(expoSqlite, name)));
}

async function open(expoSqlite: ExpoSqlite, name: string): Promise<SqliteDriver> {
  // Connections are shared by name otherwise, and another part of the application could write into a transaction of this one, or close it.
  const database = await expoSqlite.openDatabaseAsync(name, { useNewConnection: true });
  for (const sql of [journal, ...durable]) await database.execAsync(sql);
  return {
    async execute(sql, values = []) {
      if (/^select/.test(sql)) return (await database.getAllAsync(sql, [...values])) as Record<string, unknown>[];
      await database.runAsync(sql, [...values]);
      return [];
    },
    // `withTransactionAsync` takes in what others do meanwhile, and `withExclusiveTransactionAsync` opens a further connection each time.
    async transaction(statements) {
      await database.execAsync("begin immediate");
      try {
        for (const [sql, values] of statements) await database.runAsync(sql, [...values]);
        await database.execAsync("commit");
      } catch (problem) {
        // When the disk is full, SQLite has rolled back already.
        await database.execAsync("rollback").catch(() => undefined);
        throw problem;
      }
    },
    close: () => database.closeAsync(),
  };
}
