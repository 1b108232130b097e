import pg from "pg";
import { ProgressWatch } from "../../platform/concurrency/progress-watch.js";
import { type Bindings, parseStatement, writtenValuesOf } from "../bindings.js";
import type { Pipeline } from "../db.js";
import { translateDatabaseError } from "../errors.js";
import type { Placement } from "../placement.js";
import { closeConnection, connectionSettings, timeoutStatements } from "../pool/connection.js";
import { isAtReadOnlyServer, noteOpened } from "../pool/read-only-server.js";
import { type CopyRows, copyQuery } from "./copy.js";
import { groupQuery, type RowShapes, type StatementToSend } from "./statement-group.js";

/** Connections outside the pool, for the few transactions that do most of the work. */
export interface Pipelines {
  /**
   * Lends a connection to `work`. If it throws, its transaction is rolled back and the error passes through. Throws
   * DATABASE_UNAVAILABLE if no connection can be opened. Callers bound how many run at the same time.
   */
  use<T>(work: (pipeline: OpenPipeline) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/**
 * A pipeline with transactions. Their statements are sent without waiting, too: see `together`. Those that are sent in one
 * turn of the event loop are one step of the transaction; outside one they form a transaction, unless the placement keeps
 * statements apart. If one of them fails, all of them do.
 */
export interface OpenPipeline extends Pipeline {
  /** The number of its process in PostgreSQL. */
  readonly backend: number | undefined;
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Inserts rows by COPY; `into` names the table and its columns, as COPY expects them. */
  copy(into: string, rows: CopyRows): Promise<void>;
}

interface Connection extends OpenPipeline {
  client: pg.Client;
  broken: boolean;
  /** It is not lent again, because its server takes no writes. */
  isStale: boolean;
}

const answerSlackSeconds = 5;

/** Rows are locked in the order of arrays, so a plan must go through its arrays in order and find each row by its key. */
const sessionSettings =
  "set enable_hashjoin = off; set enable_mergejoin = off; set enable_seqscan = off; set jit = off";

/** A queue is read from its front by an index, in order, even by a plan that was made while the queue was short. */
const sessionSettingsOfQueues = `${sessionSettings}; set enable_bitmapscan = off; set enable_sort = off`;

type PipelineConfig = {
  url: string;
  placement: Placement;
  config: { databaseStatementTimeoutSeconds: number; databaseConnectTimeoutSeconds: number };
};

/** Opens connections on demand and keeps them. A failed one is replaced at its next use. */
export function createPipelines(settings: PipelineConfig): Pipelines {
  const idle: Connection[] = [];
  let stopped = false;

  const take = async (): Promise<Connection> => {
    for (let found = idle.pop(); found !== undefined; found = idle.pop()) if (!found.broken) return found;
    return open(settings, ofOneCaller);
  };
  const giveBack = async (connection: Connection): Promise<void> => {
    if (connection.broken || connection.isStale || stopped) await closeConnection(connection.client);
    else idle.push(connection);
  };

  return {
    async use(work) {
      const connection = await take();
      try {
        return await work(connection);
      } catch (error) {
        await connection.rollback().catch(() => {
          connection.broken = true;
        });
        throw error;
      } finally {
        await giveBack(connection);
      }
    },
    async stop() {
      stopped = true;
      await Promise.all(idle.splice(0).map(({ client }) => closeConnection(client)));
    },
  };
}

/** A few connections that callers share, for frequent statements outside transactions. */
export interface PipelinedConnections extends Pipeline {
  stop(): Promise<void>;
}

interface PipelinedConnection {
  opening: Promise<Connection>;
  connection: Connection | undefined;
  /** The number of statements in flight. */
  asked: number;
}

/**
 * Opens up to `count` connections on demand and sends each statement over the one with the fewest statements in flight.
 * Each statement is a transaction of its own. Concurrent statements of one caller may use different connections.
 */
export function createPipelinedConnections(settings: PipelineConfig & { count: number }): PipelinedConnections {
  const pipelined = new Set<PipelinedConnection>();
  let stopped = false;

  const drop = (one: PipelinedConnection): void => {
    pipelined.delete(one);
    void one.opening.then(({ client }) => closeConnection(client)).catch(() => undefined);
  };
  const add = (): PipelinedConnection => {
    const one: PipelinedConnection = {
      opening: open(settings, ofManyCallers),
      connection: undefined,
      asked: 0,
    };
    pipelined.add(one);
    one.opening.then(
      (connection) => {
        one.connection = connection;
      },
      () => pipelined.delete(one),
    );
    return one;
  };
  const choose = (): PipelinedConnection => {
    if (stopped) throw new Error("the pipelined connections are closed");
    for (const one of pipelined) {
      const { broken, isStale } = one.connection ?? {};
      // Others may still wait for answers of a stale one.
      if (broken || (isStale && one.asked === 0)) drop(one);
    }
    const usable = [...pipelined].filter(({ connection }) => connection?.isStale !== true);
    const [min] = usable.sort((a, b) => a.asked - b.asked);
    return min === undefined || (min.asked > 0 && usable.length < settings.count) ? add() : min;
  };

  const byLeastAsked = async <T>(send: (connection: Connection) => Promise<T>): Promise<T> => {
    const chosen = choose();
    chosen.asked += 1;
    try {
      return await send(await chosen.opening);
    } finally {
      chosen.asked -= 1;
    }
  };

  return {
    isPipeline: true,
    placement: settings.placement,
    rows: <T>(sql: string, bindings?: Bindings) => byLeastAsked((connection) => connection.rows<T>(sql, bindings)),
    one: <T>(sql: string, bindings?: Bindings) => byLeastAsked((connection) => connection.one<T>(sql, bindings)),
    run: (sql, bindings) => byLeastAsked((connection) => connection.run(sql, bindings)),
    async stop() {
      stopped = true;
      const opened = await Promise.allSettled([...pipelined].map(({ opening }) => opening));
      pipelined.clear();
      await Promise.all(opened.map((one) => one.status === "fulfilled" && closeConnection(one.value.client)));
    },
  };
}

/**
 * Waits for all statements of a sequence, even if one fails, and throws the error of the first that failed: those after it
 * only report that the transaction is aborted.
 */
export async function together<T extends readonly Promise<unknown>[] | []>(
  asked: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const answers = await Promise.allSettled(asked);
  const failed = answers.find((answer) => answer.status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  return answers.map((answer) => (answer as PromiseFulfilledResult<unknown>).value) as never;
}

interface Use {
  setUp: string;
  /** Whether what is sent at once may form one transaction. */
  joins: boolean;
}

const ofOneCaller: Use = { setUp: sessionSettings, joins: true };
const ofManyCallers: Use = { setUp: sessionSettingsOfQueues, joins: false };

async function open({ url, placement, config }: PipelineConfig, { setUp, joins }: Use): Promise<Connection> {
  const statementSeconds = config.databaseStatementTimeoutSeconds;
  const client = new pg.Client({
    ...connectionSettings(url),
    connectionTimeoutMillis: config.databaseConnectTimeoutSeconds * 1000,
    pipeline: true,
  } as pg.ClientConfig);
  // An error of the connection comes as an event as well, even before it is open.
  client.on("error", () => undefined);
  try {
    await client.connect();
    noteOpened(client);
    const answerMillis = (statementSeconds + answerSlackSeconds) * 1000;
    const connection = connectionOver(client, { placement, joins, answerMillis });
    const text = `${timeoutStatements(statementSeconds)}; ${placement.sessionSettings}; ${setUp}`;
    await client.query({ text, query_timeout: answerMillis } as pg.QueryConfig);
    return connection;
  } catch (error) {
    await closeConnection(client);
    throw translateDatabaseError(error);
  }
}

function connectionOver(
  client: pg.Client,
  { placement, joins, answerMillis }: { placement: Placement; joins: boolean; answerMillis: number },
): Connection {
  const { stream } = client.connection;
  const watch = new ProgressWatch(answerMillis, () =>
    stream.destroy(new Error("connection terminated: the database does not answer")),
  );
  const sending = { shapes: new Map() as RowShapes, ended: () => watch.ended() };
  let waiting: ToSend[] = [];
  /** What one turn of the event loop sends leaves in one write, which wakes the other side once. */
  const send = (): void => {
    const units = unitsOf(waiting, { joins: joins && placement.joinsStatements });
    waiting = [];
    stream.cork();
    try {
      for (const unit of units) {
        watch.began();
        client.query("copy" in unit ? copyOf(unit, sending.ended) : groupQuery(unit.statements, sending));
      }
    } finally {
      stream.uncork();
    }
  };
  const add = (next: ToSend): void => {
    if (waiting.push(next) === 1) queueMicrotask(send);
  };
  const translated = (error: Error): unknown => {
    if (isAtReadOnlyServer(client, error)) connection.isStale = true;
    return translateDatabaseError(error);
  };
  const ask = (sql: string, bindings: Bindings = {}, place?: Place) =>
    new Promise<unknown[]>((settle, fail) => {
      const statement = parseStatement(sql);
      const values = writtenValuesOf(statement, bindings).map(prepareValue);
      const failed = (error: Error): void => fail(translated(error));
      add({ statement: { name: statement.name, text: statement.text, values, settle, fail: failed }, place });
    });
  const order = async (sql: string, place: Place): Promise<void> => void (await ask(sql, {}, place));
  const connection: Connection = {
    isPipeline: true,
    placement,
    client,
    backend: (client as { processID?: number }).processID,
    broken: false,
    isStale: false,
    rows: <T>(sql: string, bindings?: Bindings) => ask(sql, bindings) as Promise<T[]>,
    one: async <T>(sql: string, bindings?: Bindings) => (await ask(sql, bindings))[0] as T | undefined,
    run: async (sql, bindings) => void (await ask(sql, bindings)),
    begin: () => order("begin", "first"),
    commit: () => order("commit", "last"),
    rollback: () => order("rollback", "alone"),
    copy: (into, rows) =>
      new Promise((settle, fail) => {
        add({ copy: { into, rows }, settle, fail: (error) => fail(translated(error)) });
      }),
  };
  const breakOff = (): void => {
    connection.broken = true;
    watch.stop();
  };
  client.on("error", breakOff);
  client.on("end", breakOff);
  return connection;
}

/** Where a statement may stand in its group; anywhere unless given. */
type Place = "first" | "last" | "alone";

interface Copy {
  copy: { into: string; rows: CopyRows };
  settle(): void;
  fail(error: Error): void;
}

type ToSend = { statement: StatementToSend; place?: Place | undefined } | Copy;

/** What ends in one answer: statements with one Sync behind them, or a COPY, which may have a commit behind it. */
type Unit = { statements: StatementToSend[]; closed: boolean } | (Copy & { commit?: StatementToSend });

/**
 * Joins what is sent at once. A transaction begins with a group and ends with one, so what is sent before and behind it has
 * transactions of its own.
 */
function unitsOf(waiting: readonly ToSend[], { joins }: { joins: boolean }): Unit[] {
  const units: Unit[] = [];
  for (const one of waiting) {
    const last = units.at(-1);
    if ("copy" in one) units.push({ ...one });
    else if (joins && last !== undefined && "copy" in last && last.commit === undefined && one.place === "last") {
      last.commit = one.statement;
    } else if (joins && last !== undefined && "statements" in last && !last.closed && !startsGroup(one.place)) {
      last.statements.push(one.statement);
      last.closed = one.place === "last";
    } else units.push({ statements: [one.statement], closed: one.place === "last" || one.place === "alone" });
  }
  return units;
}

function startsGroup(place: Place | undefined): boolean {
  return place === "first" || place === "alone";
}

function copyOf({ copy, settle, fail, commit }: Copy & { commit?: StatementToSend }, ended: () => void): pg.Query {
  return copyQuery({ ...copy, commits: commit !== undefined }, (error) => {
    ended();
    if (error === null) {
      settle();
      commit?.settle([]);
    } else {
      fail(error);
      commit?.fail(error);
    }
  });
}

/** A value as the driver sends it. */
const prepareValue = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }).utils
  .prepareValue;
