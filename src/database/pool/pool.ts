import knex, { type Knex } from "knex";
import type pg from "pg";
import type { Logger } from "../../platform/logger.js";
import { type Bindings, parseStatement } from "../bindings.js";
import type { Database, HeldConnection, Statements, Transaction } from "../db.js";
import { translateDatabaseError } from "../errors.js";
import { oneMachine, type Placement } from "../placement.js";
import {
  ClientStatements,
  closeConnection,
  connectionSettings,
  timeoutStatements,
  usualConnectTimeoutSeconds,
} from "./connection.js";
import { isAtReadOnlyServer, noteOpened } from "./read-only-server.js";
import { breakSilentConnections, withoutSilenceBound } from "./silent-connection.js";
import { type BoundStatement, boundStatement, StatementRunner } from "./statement-runner.js";
import { OpenTransaction } from "./transaction.js";

const usualStatementTimeoutSeconds = 30;
const usualSilenceGraceSeconds = 5;

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
  const discarded = new WeakSet<pg.Client>();
  const pool = knex({
    client: "pg",
    connection: {
      ...connectionSettings(settings.url),
      connectionTimeoutMillis: connectMillis,
    } as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: settings.poolSize,
      afterCreate(connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) {
        noteOpened(connection);
        breakSilentConnections(connection, { statementTimeoutSeconds: statementSeconds, graceSeconds });
        connection.query(timeoutStatements(statementSeconds), (error) => done(error, connection));
      },
      validate: (connection: pg.Client) => !discarded.has(connection),
    },
    acquireConnectionTimeout: 2 * connectMillis,
    log: poolLog(settings.logger),
  });
  return new Pool(pool, discarded);
}

/** Attempts to connect that the pool gives up when it is closed, and failed migrations, which throw as well. */
const unlogged = [
  /Error: aborted$/,
  /^Can't take lock to run migrations/,
  /^If you are sure migrations/,
  /^migration /,
];

/** The pool logs broken connections, each with a stack that only a debug log needs; without a logger it logs nothing. */
function poolLog(logger: Logger | undefined) {
  const log = (said: unknown) => {
    const [problem = ""] = String(said).split("\n    at ");
    if (unlogged.some((known) => known.test(problem))) return;
    logger?.warn({ said: logger.isLevelEnabled("debug") ? String(said) : problem }, "the database pool reports");
  };
  return { warn: log, error: log, deprecate: log, debug: () => undefined };
}

/** Knex lends the connections; statements are sent over them as the driver takes them. */
class Pool extends StatementRunner implements Database {
  readonly isTransaction = false;
  private readonly knex: Knex;
  private readonly client: Knex.Client;
  /** Connections that are not lent again. */
  private readonly discarded: WeakSet<pg.Client>;
  private rowsLieOn: Placement = oneMachine;

  constructor(pool: Knex, discarded: WeakSet<pg.Client>) {
    super();
    this.knex = pool;
    this.client = pool.client;
    this.discarded = discarded;
  }

  get placement(): Placement {
    return this.rowsLieOn;
  }

  setPlacement(placement: Placement): void {
    this.rowsLieOn = placement;
  }

  protected async ask(sql: string, bindings: Bindings): Promise<unknown[]> {
    return this.send(boundStatement(sql, bindings));
  }

  async preparedRows<T>(sql: string, bindings: Bindings = {}): Promise<T[]> {
    const { name } = parseStatement(sql);
    return (await this.send({ ...boundStatement(sql, bindings), name })) as T[];
  }

  private async send(statement: BoundStatement & { name?: string }): Promise<unknown[]> {
    try {
      const connection = await this.lend();
      try {
        const { rows } = await connection.query(statement);
        return rows;
      } catch (error) {
        this.discardIfReadOnly(connection, error);
        throw error;
      } finally {
        this.takeBack(connection);
      }
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  async transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T> {
    try {
      const connection = await this.lend();
      const transaction = new OpenTransaction(connection, this.rowsLieOn);
      try {
        return await transaction.carryOut(work);
      } catch (error) {
        this.discardIfReadOnly(connection, error);
        throw error;
      } finally {
        if (transaction.isLost) this.discarded.add(connection);
        this.takeBack(connection);
      }
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  async migrating<T>(work: (trx: Statements, migrator: Knex.Migrator) => Promise<T>): Promise<T> {
    try {
      const connection = await this.lend();
      try {
        return await withoutSilenceBound(connection, () =>
          this.knex.transaction(
            async ({ migrate }) => {
              const trx = new ClientStatements(connection);
              await trx.run("set local statement_timeout = 0");
              return work(trx, migrate);
            },
            { connection },
          ),
        );
      } catch (error) {
        this.discarded.add(connection);
        throw error;
      } finally {
        this.takeBack(connection);
      }
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  afterCommit(then: () => void): void {
    then();
  }

  async takeConnection(options: { answerTimeoutMillis?: number } = {}): Promise<HeldConnection> {
    try {
      const connection = await this.lend();
      return new TakenConnection(connection, options, {
        giveBack: () => this.takeBack(connection),
        discard: () => {
          this.discarded.add(connection);
          this.takeBack(connection);
        },
      });
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  async close(): Promise<void> {
    await this.knex.destroy();
  }

  private lend(): Promise<pg.Client> {
    return this.client.acquireConnection();
  }

  private discardIfReadOnly(connection: pg.Client, error: unknown): void {
    if (isAtReadOnlyServer(connection, error)) this.discarded.add(connection);
  }

  private takeBack(connection: pg.Client): void {
    void this.client.releaseConnection(connection);
  }
}

class TakenConnection extends ClientStatements implements HeldConnection {
  private readonly pool: { giveBack(): void; discard(): void };

  constructor(
    client: pg.Client,
    options: { answerTimeoutMillis?: number },
    pool: { giveBack(): void; discard(): void },
  ) {
    super(client, options);
    this.pool = pool;
  }

  giveBack(): void {
    this.pool.giveBack();
  }

  async end(): Promise<void> {
    // The pool would report the end of a connection that it did not close itself.
    this.client.removeAllListeners("end");
    await closeConnection(this.client);
    this.pool.discard();
  }
}
