import { builtinModule } from "../../client/runtime/builtin-module.js";
import {
  createTable,
  type SqliteDriver,
  type SqliteStatement,
  type SqliteValue,
  sqliteStoreOver,
} from "./sqlite-driver.js";
import type { Store } from "./store.js";

/** The part of node:sqlite and of better-sqlite3 that is used. */
interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): void;
}

interface Statement {
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

/** A connection that is garbage-collected closes its file, and so releases the lock too early. */
const locked = new Set<Database>();

/**
 * A store in a file of SQLite, for Node.js: by node:sqlite if this Node.js has it, otherwise by the package `better-sqlite3`, which the
 * application installs. SQLite's own lock on the file keeps other programs out.
 */
export function sqliteStore(file: string): Store {
  return sqliteStoreOver(async () => open(file));
}

function open(file: string): SqliteDriver | undefined {
  const database = openDatabase(file);
  try {
    database.exec("pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full");
    // In this locking mode, the first write takes the lock, and `close` releases it.
    database.exec(`begin exclusive; ${createTable}; commit`);
    locked.add(database);
    return new NodeDriver(database);
  } catch (problem) {
    database.close();
    if (/database is locked/.test(String(problem))) return undefined;
    throw problem;
  }
}

class NodeDriver implements SqliteDriver {
  readonly #database: Database;
  /** By their SQL. */
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  async execute(sql: string, values: readonly SqliteValue[] = []): Promise<Record<string, unknown>[]> {
    const statement = this.#prepared(sql);
    // better-sqlite3 takes a statement without rows only by `run`.
    if (/^select/.test(sql)) return statement.all(...values) as Record<string, unknown>[];
    statement.run(...values);
    return [];
  }

  async transaction(statements: readonly SqliteStatement[]): Promise<void> {
    this.#database.exec("begin");
    try {
      for (const [sql, values] of statements) this.#prepared(sql).run(...values);
      this.#database.exec("commit");
    } catch (problem) {
      rollBack(this.#database);
      throw problem;
    }
  }

  async close(): Promise<void> {
    locked.delete(this.#database);
    this.#database.close();
  }

  #prepared(sql: string): Statement {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
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
