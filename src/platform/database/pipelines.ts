import pg from "pg";
import { type Bindings, prepare, valuesOf } from "./bindings.js";
import {
  closeConnection,
  connectionSettings,
  idleInTransactionTimeoutMillis,
  type Pipeline,
  translateDatabaseError,
} from "./connection.js";

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
}

interface Connection extends OpenPipeline {
  client: pg.Client;
  broken: boolean;
}

const answerSlackSeconds = 5;

/**
 * The plan of each statement is made once and kept, whatever the tables' sizes are then: so it goes through its arrays
 * in order and finds each row by its key. It is the order of locking that counts, and plans made anew each time would
 * take longer than the work.
 */
const onceOpened = `
  set enable_hashjoin = off; set enable_mergejoin = off; set enable_seqscan = off; set jit = off;
  set plan_cache_mode = force_generic_plan`;

/** Opens connections as they are needed and keeps them. One that failed is replaced at the next use. */
export function createPipelines(settings: {
  url: string;
  limits: { databaseStatementTimeoutSeconds: number; databaseConnectTimeoutSeconds: number };
}): Pipelines {
  const idle: Connection[] = [];
  let stopped = false;

  const take = async (): Promise<Connection> => {
    for (let found = idle.pop(); found !== undefined; found = idle.pop()) if (!found.broken) return found;
    return open(settings);
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

/**
 * Waits for statements that were sent one after the other, for all of them even where one fails, and throws what the
 * first one that failed was told: those behind it only hear that the transaction is over.
 */
export async function together<T extends readonly Promise<unknown>[] | []>(
  asked: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const answers = await Promise.allSettled(asked);
  const failed = answers.find((answer) => answer.status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  return answers.map((answer) => (answer as PromiseFulfilledResult<unknown>).value) as never;
}

async function open({ url, limits }: Parameters<typeof createPipelines>[0]): Promise<Connection> {
  const statementSeconds = limits.databaseStatementTimeoutSeconds;
  const client = new pg.Client({
    ...connectionSettings(url),
    connectionTimeoutMillis: limits.databaseConnectTimeoutSeconds * 1000,
    statement_timeout: statementSeconds * 1000,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMillis,
    query_timeout: (statementSeconds + answerSlackSeconds) * 1000,
    pipeline: true,
  } as pg.ClientConfig);
  const connection = connectionOver(client);
  try {
    await client.connect();
    await client.query(onceOpened);
    return connection;
  } catch (error) {
    await closeConnection(client);
    throw translateDatabaseError(error);
  }
}

function connectionOver(client: pg.Client): Connection {
  const run = async (query: pg.QueryConfig | string): Promise<pg.QueryResult> => {
    try {
      // What is asked at once goes over in one piece, which wakes the other side once.
      const { stream } = client.connection;
      stream.cork();
      queueMicrotask(() => stream.uncork());
      return await client.query(query as pg.QueryConfig);
    } catch (error) {
      throw translateDatabaseError(error);
    }
  };
  const order = async (text: string): Promise<void> => void (await run(text));
  const connection: Connection = {
    ...{ isPipeline: true, client, broken: false },
    async ask<T>(sql: string, bindings: Bindings): Promise<T[]> {
      const statement = prepare(sql);
      const { rows } = await run({ name: statement.name, text: statement.text, values: valuesOf(statement, bindings) });
      return rows as T[];
    },
    begin: () => order("begin"),
    commit: () => order("commit"),
    rollback: () => order("rollback"),
  };
  const breakOff = (): void => {
    connection.broken = true;
  };
  client.on("error", breakOff);
  client.on("end", breakOff);
  return connection;
}
