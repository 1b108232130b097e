import type { Knex } from "knex";
import type { Bindings } from "./bindings.js";
import type { Placement } from "./placement.js";

/*
 * The door to PostgreSQL. Everything outside this folder sends its statements through these interfaces.
 *
 * Bindings are written `:name` (see bindings.ts); an array is sent as one PostgreSQL array (`= any(:ids::text[])`), bytes as
 * bytea. Every method throws DATABASE_UNAVAILABLE if the database cannot be reached or is overloaded; all other database
 * errors pass through unchanged.
 */

/** Where statements that only read run: the database itself, or a replica (see read-replica.ts). */
export interface Reader {
  /** Runs one statement and returns its rows. */
  rows<T>(sql: string, bindings?: Bindings): Promise<T[]>;
  /** The same for a statement with one row at most; undefined if there is none. */
  one<T>(sql: string, bindings?: Bindings): Promise<T | undefined>;
}

export interface Statements extends Reader {
  /** Runs a statement whose result nobody needs. Without bindings there may be several, separated by semicolons. */
  run(sql: string, bindings?: Bindings): Promise<void>;
}

/** Where a statement runs: the pool, a transaction or a pipeline. The first argument of every store function. */
export interface Executor extends Statements {
  /** Where the rows lie, for the fragments that a statement takes from it. */
  readonly placement: Placement;
}

/** A connection on which statements are sent without waiting for earlier results (see pipelines.ts). They stay prepared. */
export interface Pipeline extends Executor {
  readonly isPipeline: true;
}

/** The pool, or a transaction. */
export interface Db extends Executor {
  readonly isTransaction: boolean;
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. Within a transaction, only the
   * statements of `work` are undone when it throws.
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T>;
  /** Calls `then` once the transaction is committed, and never if it is rolled back. Outside a transaction: at once. */
  afterCommit(then: () => void): void;
}

/** An open transaction. It takes no statement after its end. */
export interface Transaction extends Db {
  readonly isTransaction: true;
}

/** The pool of connections. */
export interface Database extends Db {
  readonly isTransaction: false;
  /** Like `rows`, for a statement that is repeated all the time: each connection of the pool plans it once and keeps it. */
  preparedRows<T>(sql: string, bindings?: Bindings): Promise<T[]>;
  /**
   * Takes a connection out of the pool for longer than a statement, as for a lock of the session. Nobody else gets it
   * meanwhile. A statement without an answer after `answerTimeoutMillis` fails.
   */
  takeConnection(options?: { answerTimeoutMillis?: number }): Promise<HeldConnection>;
  /** Runs `work` in one transaction whose statements have no time limit, together with Knex's migrator. */
  migrating<T>(work: (trx: Statements, migrator: Knex.Migrator) => Promise<T>): Promise<T>;
  /** Tells the statements of the pool, and of its transactions, where the rows lie. */
  setPlacement(placement: Placement): void;
  close(): Promise<void>;
}

/** A connection that was taken out of the pool. */
export interface HeldConnection extends Statements {
  giveBack(): void;
  /** Ends it instead of giving it back, so that no lock stays behind in the pool. Never throws. */
  end(): Promise<void>;
}
