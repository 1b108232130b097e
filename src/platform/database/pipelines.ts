import pg from "pg";
import { type Bindings, prepare, valuesOf } from "./bindings.js";
import {
  closeConnection,
  connectionSettings,
  type Pipeline,
  timeoutStatements,
  translateDatabaseError,
} from "./connection.js";
import { type CopyRows, copyQuery } from "./copy.js";

/** Connections outside the pool, for the few transactions that most of the work goes through. */
export interface Pipelines {
  /**
   * Lends a connection to `work`. Where it throws, what it began is rolled back and the error passes through;
   * DATABASE_UNAVAILABLE where there is no connection to be had. Callers see to it that not too much runs at once.
   */
  use<T>(work: (pipeline: OpenPipeline) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** A pipeline with transactions. Their statements, too, are sent at once: see `together`. */
export interface OpenPipeline extends Pipeline {
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Puts rows into a table; `into` names it and its columns, as COPY wants it. */
  copy(into: string, rows: CopyRows): Promise<void>;
}

interface Connection extends OpenPipeline {
  client: pg.Client;
  broken: boolean;
}

const answerSlackSeconds = 5;

/**
 * The plan of each statement is made once and kept, whatever the tables' sizes are then: so it goes through its arrays
 * in order and finds each row by its key. It is the order of locking that counts, and plans made for each execution would
 * take longer than the work.
 */
const sessionSettings = `
  set enable_hashjoin = off; set enable_mergejoin = off; set enable_seqscan = off; set jit = off;
  set plan_cache_mode = force_generic_plan`;

/** Rows of a queue are read from its front by an index, in order, also by a plan that was made while it was short. */
const sessionSettingsOfQueues = `${sessionSettings}; set enable_bitmapscan = off; set enable_sort = off`;

type PipelineConfig = {
  url: string;
  config: { databaseStatementTimeoutSeconds: number; databaseConnectTimeoutSeconds: number };
};

/** Opens connections as they are needed and keeps them. One that failed is replaced at the next use. */
export function createPipelines(settings: PipelineConfig): Pipelines {
  const idle: Connection[] = [];
  let stopped = false;

  const take = async (): Promise<Connection> => {
    for (let found = idle.pop(); found !== undefined; found = idle.pop()) if (!found.broken) return found;
    return open(settings, sessionSettings);
  };
  const giveBack = async (connection: Connection): Promise<void> => {
    if (connection.broken || stopped) await closeConnection(connection.client);
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

/** A few connections that callers share, for statements that stand alone and come all the time. */
export interface PipelinedConnections extends Pipeline {
  stop(): Promise<void>;
}

interface PipelinedConnection {
  opening: Promise<Connection>;
  connection: Connection | undefined;
  /** Statements without an answer. */
  asked: number;
}

/**
 * Opens up to `count` connections as they are needed, and sends each statement over the one on which least is under way.
 * Each is a transaction of its own. Statements of one caller that are asked at once may take different connections.
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
      opening: open(settings, sessionSettingsOfQueues),
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
    for (const one of pipelined) if (one.connection?.broken) drop(one);
    const [least] = [...pipelined].sort((a, b) => a.asked - b.asked);
    return least === undefined || (least.asked > 0 && pipelined.size < settings.count) ? add() : least;
  };

  return {
    isPipeline: true,
    async ask(sql, bindings) {
      const chosen = choose();
      chosen.asked += 1;
      try {
        return await (await chosen.opening).ask(sql, bindings);
      } finally {
        chosen.asked -= 1;
      }
    },
    async stop() {
      stopped = true;
      const opened = await Promise.allSettled([...pipelined].map(({ opening }) => opening));
      pipelined.clear();
      await Promise.all(opened.map((one) => one.status === "fulfilled" && closeConnection(one.value.client)));
    },
  };
}

/**
 * Waits for statements that were sent one after the other, for all of them even where one fails, and throws what the
 * first one that failed threw: those behind it only report that the transaction is aborted.
 */
export async function together<T extends readonly Promise<unknown>[] | []>(
  asked: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const answers = await Promise.allSettled(asked);
  const failed = answers.find((answer) => answer.status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  return answers.map((answer) => (answer as PromiseFulfilledResult<unknown>).value) as never;
}

async function open({ url, config }: PipelineConfig, setUp: string): Promise<Connection> {
  const statementSeconds = config.databaseStatementTimeoutSeconds;
  const client = new pg.Client({
    ...connectionSettings(url),
    connectionTimeoutMillis: config.databaseConnectTimeoutSeconds * 1000,
    query_timeout: (statementSeconds + answerSlackSeconds) * 1000,
    pipeline: true,
  } as pg.ClientConfig);
  const connection = connectionOver(client);
  try {
    await client.connect();
    await client.query(`${timeoutStatements(statementSeconds)}; ${setUp}`);
    return connection;
  } catch (error) {
    await closeConnection(client);
    throw translateDatabaseError(error);
  }
}

function connectionOver(client: pg.Client): Connection {
  /** Statements sent in one turn of the event loop go out in one write, which wakes the other side once. */
  const inOnePiece = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      const { stream } = client.connection;
      stream.cork();
      queueMicrotask(() => stream.uncork());
      return await ask();
    } catch (error) {
      throw translateDatabaseError(error);
    }
  };
  const run = (query: pg.QueryConfig | string) => inOnePiece(() => client.query(query as pg.QueryConfig));
  const order = async (text: string): Promise<void> => void (await run(text));
  const connection: Connection = {
    isPipeline: true,
    client,
    broken: false,
    async ask<T>(sql: string, bindings: Bindings): Promise<T[]> {
      const statement = prepare(sql);
      const { rows } = await run({ name: statement.name, text: statement.text, values: valuesOf(statement, bindings) });
      return rows as T[];
    },
    begin: () => order("begin"),
    commit: () => order("commit"),
    rollback: () => order("rollback"),
    copy: (into, rows) =>
      inOnePiece(
        () =>
          new Promise((settle, fail) => {
            client.query(copyQuery(into, rows, (error) => (error ? fail(error) : settle())));
          }),
      ),
  };
  const breakOff = (): void => {
    connection.broken = true;
  };
  client.on("error", breakOff);
  client.on("end", breakOff);
  return connection;
}
