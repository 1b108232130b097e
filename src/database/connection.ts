import knex, { type Knex } from "knex";
import pg from "pg";
import type { Logger } from "../platform/logger.js";
import { RelayError } from "../protocol/errors.js";
import { type Bindings, bind, prepare } from "./bindings.js";
import { oneMachine, type Placement } from "./placement.js";
import { breakSilentConnections } from "./silent-connection.js";
import { OpenTransaction } from "./transaction.js";

/** The pool of connections, with its query builder. */
export type Database = Knex;

/** A connection outside the pool, or one that was taken out of it. */
export type Connection = pg.Client;

/** An open transaction: as `inTransaction` makes it, or the query builder's, as migrations use it. */
export type Transaction = OpenTransaction | Knex.Transaction;

/** Where a statement runs: the pool, or a transaction. The first argument of every store function. */
export type Db = Database | Transaction;

/** Something that runs statements one by one, as `rows` does. */
export interface Statements {
  ask<T>(sql: string, bindings: Bindings): Promise<T[]>;
}

/** A connection on which statements are sent without waiting for earlier results (see pipelines.ts). They stay prepared. */
export interface Pipeline extends Statements {
  readonly isPipeline: true;
  readonly placement: Placement;
}

/** Where statements that only read run: the database itself, or a replica (see read-replica.ts). */
export type Reader = Db | Statements;

const closeTimeoutMillis = 1_000;
const usualConnectTimeoutSeconds = 5;
const usualStatementTimeoutSeconds = 30;
const usualSilenceGraceSeconds = 5;
/** The server aborts a transaction that has been idle this long: a node that hangs holds locks for which others wait. */
const idleInTransactionTimeoutMillis = 8_000;
/** TCP keep-alive probes begin after a connection has been idle this long. */
const keepAliveInitialDelayMillis = 10_000;

/**
 * A pool of connections; none is opened before the first statement. 64-bit integers are returned as JavaScript numbers:
 * the relay stores none beyond 2^53. Opening a connection, and waiting for a free one, are bounded by the connect timeout.
 * If the server neither answers nor ends a statement in its time, the statement fails and its connection is closed.
 */
export function createDatabase(settings: {
  url: string;
  poolSize: number;
  statementTimeoutSeconds?: number;
  connectTimeoutSeconds?: number;
  /** How long after the statement timeout the database counts as unreachable. */
  silenceGraceSeconds?: number;
  logger?: Logger;
}): Database {
  const connectMillis = (settings.connectTimeoutSeconds ?? usualConnectTimeoutSeconds) * 1000;
  const statementSeconds = settings.statementTimeoutSeconds ?? usualStatementTimeoutSeconds;
  const graceSeconds = settings.silenceGraceSeconds ?? usualSilenceGraceSeconds;
  return knex({
    client: "pg",
    connection: {
      ...connectionSettings(settings.url),
      connectionTimeoutMillis: connectMillis,
    } as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: settings.poolSize,
      afterCreate(connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) {
        breakSilentConnections(connection, { statementTimeoutSeconds: statementSeconds, graceSeconds });
        connection.query(timeoutStatements(statementSeconds), (error) => done(error, connection));
      },
    },
    acquireConnectionTimeout: 2 * connectMillis,
    log: poolLog(settings.logger),
  });
}

/** The time limits of a session. Poolers in front of PostgreSQL refuse them among the parameters of a connection. */
export function timeoutStatements(statementSeconds: number): string {
  return `set statement_timeout = ${statementSeconds * 1000};
    set idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMillis}`;
}

/** The error message of connections that were closed on purpose; it is not logged. */
export const closedOnPurpose = "closed on purpose";

/** Attempts to connect that the pool gives up when it is closed. */
const abandoned = "Error: aborted";

/** The pool logs broken connections, each with a stack that only a debug log needs; without a logger it logs nothing. */
function poolLog(logger: Logger | undefined) {
  const log = (said: unknown) => {
    const [problem = ""] = String(said).split("\n    at ");
    if (problem.endsWith(closedOnPurpose) || problem.endsWith(abandoned)) return;
    logger?.warn({ said: logger.isLevelEnabled("debug") ? String(said) : problem }, "the database pool reports");
  };
  return { warn: log, error: log, deprecate: log, debug: () => undefined };
}

/** Settings of every connection, inside and outside the pool. */
export function connectionSettings(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: "mls-relay",
    connectionTimeoutMillis: usualConnectTimeoutSeconds * 1000,
    keepAlive: true,
    keepAliveInitialDelayMillis,
    types: { getTypeParser },
  };
}

/** A connection outside the pool, not opened yet. */
export function createConnection(url: string): Connection {
  return new pg.Client(connectionSettings(url));
}

/** Closes a connection outside the pool; one that no longer answers is destroyed after a second. Never throws. */
export async function closeConnection(client: Connection): Promise<void> {
  const cut = setTimeout(() => client.connection.stream.destroy(), closeTimeoutMillis);
  await client.end().catch(() => undefined);
  clearTimeout(cut);
}

/**
 * Runs one statement and returns its rows. Bindings are written `:name`; an array is sent as one PostgreSQL array
 * (`= any(:ids::text[])`), bytes as bytea. Throws DATABASE_UNAVAILABLE where the database cannot be reached or is
 * overloaded; all other database errors pass through unchanged.
 */
export async function rows<T>(db: Reader, sql: string, bindings: Bindings = {}): Promise<T[]> {
  try {
    if ("ask" in db) return await db.ask(sql, bindings);
    const { text, values } = bind(sql, bindings);
    const result: { rows: T[] } = await db.raw(text, values as Knex.RawBinding[]);
    return result.rows;
  } catch (error) {
    throw translateDatabaseError(error);
  }
}

/** Like `rows`, for a statement that is repeated all the time: each connection of the pool plans it once and keeps it. */
export async function preparedRows<T>(db: Knex, sql: string, bindings: Bindings = {}): Promise<T[]> {
  const { text, values } = bind(sql, bindings);
  try {
    const statement = db.raw(text, values as Knex.RawBinding[]).options({ name: prepare(sql).name });
    const result: { rows: T[] } = await statement;
    return result.rows;
  } catch (error) {
    throw translateDatabaseError(error);
  }
}

/** By the settings of the pool, which its transactions share. */
const placements = new WeakMap<object, Placement>();

/** Tells the statements of the pool where the rows lie. */
export function setPlacement(db: Database, placement: Placement): void {
  placements.set(db.client.config, placement);
}

/** Where the rows of the database lie, for the fragments that a statement takes from it. */
export function placementOf(db: Db | Pipeline): Placement {
  return "ask" in db ? db.placement : (placements.get(db.client.config) ?? oneMachine);
}

/** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. Errors as in `rows`. */
export async function inTransaction<T>(db: Db, work: (trx: Transaction) => Promise<T>): Promise<T> {
  try {
    if ("ask" in db) return await db.within(work);
    if (db.isTransaction) return await db.transaction(work);
    return await inNewTransaction(db, work);
  } catch (error) {
    throw translateDatabaseError(error);
  }
}

async function inNewTransaction<T>(pool: Knex, work: (trx: Transaction) => Promise<T>): Promise<T> {
  const connection: pg.Client = await pool.client.acquireConnection();
  try {
    return await new OpenTransaction(connection, placementOf(pool)).run(work);
  } finally {
    await pool.client.releaseConnection(connection);
  }
}

/** Calls `then` once the transaction is committed, and never if it is rolled back. Outside a transaction: at once. */
export function afterCommit(db: Db, then: () => void): void {
  if ("ask" in db) db.whenCommitted(then);
  else if (db.isTransaction) (db as Knex.Transaction).executionPromise.then(then, () => undefined);
  else then();
}

/** DATABASE_UNAVAILABLE for failures of the connection or the server's state; otherwise the error itself. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof RelayError || !isUnavailability(error)) return error;
  return new RelayError("DATABASE_UNAVAILABLE", describeUnavailability(error), { cause: error });
}

/** The SQLSTATE of a database error, translated or not; undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (error instanceof RelayError) return cause === undefined ? undefined : sqlStateOf(cause);
  return typeof code === "string" && sqlState.test(code) ? code : undefined;
}

/** SQLSTATEs of PostgreSQL's appendix A that the relay distinguishes. */
export const diskFullState = "53100";
export const readOnlyState = "25006";

/** Whether the database refused a write, while it goes on answering: its disk is full, or it takes no writes. */
export function isRefusedWrite(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === diskFullState || state === readOnlyState;
}

const sqlState = /^[0-9A-Z]{5}$/;
// Classes and codes of PostgreSQL's appendix A: connection, insufficient resources, operator intervention; wrong login,
// unknown or closed database; lock not available; read-only transaction, as a standby answers after a failover; a
// transaction that the server aborted; errors of the server's files.
const unavailableStates = /^(08...|53...|57P0[1-5]|57014|28...|3D000|55000|55P03|25006|25P0[34]|58000|58030)$/;
/** With these severities the server closes the connection or refuses to open it. */
const endsConnection: ReadonlySet<unknown> = new Set(["FATAL", "PANIC"]);
const loginStates = /^(28...|3D000|55000|42501)$/;
const unavailableSystemCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);
const unavailableMessages =
  /connection terminated|query read timeout|timeout expired|connection timeout|not queryable|acquiring a connection|acquire a connection|^SASL|does not support SSL/i;

function isUnavailability(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  if (endsConnection.has(severity)) return true;
  if (typeof code === "string") return unavailableStates.test(code) || unavailableSystemCodes.has(code);
  return unavailableMessages.test(error.message) || error.name === "AggregateError";
}

function describeUnavailability(error: unknown): string {
  const state = sqlStateOf(error) ?? "";
  if (state === diskFullState) return "the database has no space left on its disk";
  if (state === readOnlyState) return "the database is read-only at the moment";
  if (loginStates.test(state)) return "the database refuses the relay's login at the moment";
  return "the database cannot be reached at the moment";
}

const numeric = 1700;
const numericArray = 1231;
const int8 = 20;
const int8Array = 1016;
const textArray = 1009;

/** The function that turns a value of this type, as PostgreSQL sends it, into that of JavaScript. */
export function getTypeParser(oid: number, format?: "text" | "binary"): unknown {
  if (oid === int8 || oid === numeric) return Number;
  if (oid === int8Array || oid === numericArray) return parseNumbers;
  return pg.types.getTypeParser(oid, format as "text");
}

function parseNumbers(text: string): unknown[] {
  const parseTexts = pg.types.getTypeParser(textArray as number) as (text: string) => (string | null)[];
  return parseTexts(text).map((item) => (item === null ? null : Number(item)));
}
