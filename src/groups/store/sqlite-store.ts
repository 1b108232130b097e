import { builtinModule } from "../../client/runtime/builtin-module.js";
import type { Store, StoreChange, StoreRange } from "./store.js";

/** The part of node:sqlite and of better-sqlite3 that is used. */
interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): void;
}

interface Statement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

interface Opened {
  database: Database;
  get: Statement;
  put: Statement;
  remove: Statement;
  /** By their SQL. */
  lists: Map<string, Statement>;
}

const retryLockMillis = 200;
/** A connection that is garbage-collected closes its file, and so releases the lock too early. */
const locked = new Set<Database>();
/** Behind every key that begins with a prefix: keys are ASCII. */
const end = "\x7f";

/**
 * A store in a file of SQLite, for Node.js: by node:sqlite if this Node.js has it, otherwise by the package `better-sqlite3`, which the
 * application installs. SQLite's own lock on the file keeps other programs out.
 */
export function sqliteStore(file: string): Store {
  return new SqliteStore(file);
}

class SqliteStore implements Store {
  readonly #file: string;
  #opened: Opened | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async lock({ wait, signal }: { wait: boolean; signal?: AbortSignal }): Promise<boolean> {
    for (;;) {
      signal?.throwIfAborted();
      const opened = this.#open();
      if (opened) return true;
      if (!wait) return false;
      await new Promise((resolve) => setTimeout(resolve, retryLockMillis));
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const row = this.#use().get.get(key) as { value: Uint8Array } | undefined;
    return row && new Uint8Array(row.value);
  }

  async list({ prefix, after, before, limit, last = false }: StoreRange): Promise<[string, Uint8Array][]> {
    const order = last ? "desc" : "asc";
    const low = after === undefined ? "key >= ?" : "key > ?";
    const sql = `select key, value from "values" where ${low} and key < ? order by key ${order} limit ?`;
    const { database, lists } = this.#use();
    const statement = lists.get(sql) ?? database.prepare(sql);
    lists.set(sql, statement);
    const rows = statement.all(after ?? prefix, before ?? prefix + end, limit ?? -1) as {
      key: string;
      value: Uint8Array;
    }[];
    const found = rows.map(({ key, value }): [string, Uint8Array] => [key, new Uint8Array(value)]);
    return last ? found.reverse() : found;
  }

  async write(changes: readonly StoreChange[]): Promise<void> {
    const { database, put, remove } = this.#use();
    database.exec("begin");
    try {
      for (const [key, value] of changes) {
        if (value === undefined) remove.run(key);
        else put.run(key, value);
      }
      database.exec("commit");
    } catch (problem) {
      rollBack(database);
      throw problem;
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    locked.delete(opened.database);
    opened.database.close();
  }

  #use(): Opened {
    if (this.#opened === undefined) throw new Error("the store is not open");
    return this.#opened;
  }

  #open(): boolean {
    const database = openDatabase(this.#file);
    try {
      database.exec("pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full");
      // In this locking mode, the first write takes the lock, and `close` releases it.
      database.exec('begin exclusive; create table if not exists "values" (key text primary key, value blob not null)');
      database.exec("commit");
      this.#opened = {
        database,
        get: database.prepare('select value from "values" where key = ?'),
        put: database.prepare('insert or replace into "values" (key, value) values (?, ?)'),
        remove: database.prepare('delete from "values" where key = ?'),
        lists: new Map(),
      };
      locked.add(database);
      return true;
    } catch (problem) {
      database.close();
      if (/database is locked/.test(String(problem))) return false;
      throw problem;
    }
  }
}

/** When the disk is full, SQLite has already rolled the transaction back, and `rollback` fails. */
function rollBack(database: Database): void {
  try {
    database.exec("rollback");
  } catch {
    // The caller throws the error that came first.
  }
}

type DatabaseClass = new (file: string, options?: object) => Database;

function openDatabase(file: string): Database {
  const own = builtinModule<{ DatabaseSync: DatabaseClass }>("node:sqlite");
  if (own !== undefined) return new own.DatabaseSync(file);
  const nodeModule = builtinModule<{ createRequire(from: string): (name: string) => unknown }>("node:module");
  if (nodeModule === undefined) throw new Error("this platform has no SQLite: use another store");
  return new (installedDatabase(nodeModule.createRequire))(file, { timeout: 0 });
}

function installedDatabase(createRequire: (from: string) => (name: string) => unknown): DatabaseClass {
  let cause: unknown;
  for (const from of requiringFiles()) {
    try {
      return createRequire(from)("better-sqlite3") as DatabaseClass;
    } catch (failure) {
      cause ??= failure;
    }
  }
  const text = "this Node.js has no SQLite: install the package better-sqlite3, or use Node.js 22.13 or later";
  throw new Error(text, { cause });
}

/** Only in CommonJS; the package's types are made without those of Node.js. */
declare const __filename: string | undefined;

/** The module whose packages are searched. A bundle in CommonJS has no `import.meta`, and may be elsewhere than the program's packages. */
function requiringFiles(): string[] {
  const own: string | undefined = import.meta.url ?? (typeof __filename === "string" ? __filename : undefined);
  const { process } = globalThis as { process?: { argv: string[]; cwd(): string } };
  const others = process === undefined ? [] : [process.argv[1], `${process.cwd()}/index.js`];
  return [own, ...others].filter((file) => file !== undefined);
}
