// A store in SQLite over any driver: those of Node.js are synchronous, those of React Native answer later and run one statement at a time.

import { createTurns } from "../../client/runtime/turns.js";
import type { Store, StoreChange, StoreRange } from "./store.js";

export type SqliteValue = string | number | Uint8Array;
export type SqliteStatement = readonly [sql: string, values: readonly SqliteValue[]];

/** An open database. The store makes one call after another, each once the one before has ended. */
export interface SqliteDriver {
  /** Carries out one statement. A row is an object by the names of its columns; bytes are a Uint8Array or an ArrayBuffer. */
  execute(sql: string, values?: readonly SqliteValue[]): Promise<readonly Record<string, unknown>[]>;
  /** Carries out all statements or none, and has them on the disk once the promise is fulfilled. */
  transaction(statements: readonly SqliteStatement[]): Promise<void>;
  close(): Promise<void>;
}

const retryLockMillis = 200;
/** Behind every key that begins with a prefix: keys are ASCII. */
const end = "\x7f";
export const createTable = 'create table if not exists "values" (key text primary key, value blob not null)';
const remove = 'delete from "values" where key = ?';
const put = 'insert or replace into "values" (key, value) values (?, ?)';
/** Some drivers bind an empty array of bytes as null. */
const putEmpty = `insert or replace into "values" (key, value) values (?, x'')`;

/** A store over a driver. `open` answers undefined while another program has the database; it is called again then. */
export function sqliteStoreOver(open: () => Promise<SqliteDriver | undefined>): Store {
  return new SqliteStore(open);
}

class SqliteStore implements Store {
  readonly #open: () => Promise<SqliteDriver | undefined>;
  readonly #turns = createTurns();
  #driver: SqliteDriver | undefined;

  constructor(open: () => Promise<SqliteDriver | undefined>) {
    this.#open = open;
  }

  async lock({ wait, signal }: { wait: boolean; signal?: AbortSignal }): Promise<boolean> {
    for (;;) {
      signal?.throwIfAborted();
      const driver = await this.#open();
      if (driver !== undefined) return this.#begin(driver);
      if (!wait) return false;
      await new Promise((resolve) => setTimeout(resolve, retryLockMillis));
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const [row] = await this.#use((driver) => driver.execute('select value from "values" where key = ?', [key]));
    return row && bytesOf(row["value"]);
  }

  async list({ prefix, after, before, limit, last = false }: StoreRange): Promise<[string, Uint8Array][]> {
    const order = last ? "desc" : "asc";
    const low = after === undefined ? "key >= ?" : "key > ?";
    const sql = `select key, value from "values" where ${low} and key < ? order by key ${order} limit ?`;
    const values = [after ?? prefix, before ?? prefix + end, limit ?? -1];
    const rows = await this.#use((driver) => driver.execute(sql, values));
    const found = rows.map(({ key, value }): [string, Uint8Array] => [key as string, bytesOf(value)]);
    return last ? found.reverse() : found;
  }

  async write(changes: readonly StoreChange[]): Promise<void> {
    await this.#use((driver) => driver.transaction(changes.map(statementOf)));
  }

  async close(): Promise<void> {
    const driver = this.#driver;
    this.#driver = undefined;
    if (driver !== undefined) await this.#turns.take(() => driver.close());
  }

  async #begin(driver: SqliteDriver): Promise<boolean> {
    try {
      await driver.execute(createTable);
    } catch (problem) {
      await driver.close();
      throw problem;
    }
    this.#driver = driver;
    return true;
  }

  async #use<T>(work: (driver: SqliteDriver) => Promise<T>): Promise<T> {
    const driver = this.#driver;
    if (driver === undefined) throw new Error("the store is not open");
    return this.#turns.take(() => work(driver));
  }
}

function statementOf([key, value]: StoreChange): SqliteStatement {
  if (value === undefined) return [remove, [key]];
  return value.length === 0 ? [putEmpty, [key]] : [put, [key, value]];
}

function bytesOf(value: unknown): Uint8Array {
  return new Uint8Array((value ?? []) as Uint8Array);
}
