import type { Readable, Writable } from "node:stream";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { Bindings } from "../bindings.js";
import type { Statements } from "../db.js";
import { translateDatabaseError } from "../errors.js";
import { boundStatement, StatementRunner } from "./statement-runner.js";
import { settingsOfUrl } from "./tls-of-url.js";

const closeTimeoutMillis = 1_000;
export const usualConnectTimeoutSeconds = 5;
/** The server aborts a transaction that has been idle this long: a node that hangs holds locks for which others wait. */
const idleInTransactionTimeoutMillis = 8_000;
/** TCP keep-alive probes begin after a connection has been idle this long. */
const keepAliveInitialDelayMillis = 10_000;

/**
 * The time limits of a session, and the isolation that statements are written for, whatever the account's defaults are. Poolers in front of
 * PostgreSQL refuse them among the parameters of a connection.
 */
export function timeoutStatements(statementSeconds: number): string {
  return `set statement_timeout = ${statementSeconds * 1000};
    set idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMillis};
    set default_transaction_isolation = 'read committed'`;
}

/** Settings of every connection, inside and outside the pool. */
export function connectionSettings(url: string): pg.ClientConfig {
  return {
    ...settingsOfUrl(url),
    application_name: "mls-relay",
    connectionTimeoutMillis: usualConnectTimeoutSeconds * 1000,
    keepAlive: true,
    keepAliveInitialDelayMillis,
    types: { getTypeParser },
  };
}

/** A connection outside the pool, for the statements of one caller. */
export interface Connection extends Statements {
  /** The output of a `copy … to stdout`. `rowCount` is known at its end. */
  copyOut(statement: string): Readable & { readonly rowCount: number };
  /** The input of a `copy … from stdin`. `rowCount` is known at its end. */
  copyIn(statement: string): Writable & { readonly rowCount: number };
  /** Never throws. */
  close(): Promise<void>;
}

/** Statements on one connection of the driver, outside the pool or taken out of it. */
export class ClientStatements extends StatementRunner {
  protected readonly client: pg.Client;
  private readonly options: { query_timeout?: number };

  constructor(client: pg.Client, { answerTimeoutMillis }: { answerTimeoutMillis?: number } = {}) {
    super();
    this.client = client;
    this.options = answerTimeoutMillis === undefined ? {} : { query_timeout: answerTimeoutMillis };
  }

  protected async ask(sql: string, bindings: Bindings): Promise<unknown[]> {
    try {
      const { rows } = await this.client.query({ ...boundStatement(sql, bindings), ...this.options });
      return rows;
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }
}

class OwnConnection extends ClientStatements implements Connection {
  copyOut(statement: string): Readable & { readonly rowCount: number } {
    return this.client.query(copyTo(statement));
  }

  copyIn(statement: string): Writable & { readonly rowCount: number } {
    return this.client.query(copyFrom(statement));
  }

  close(): Promise<void> {
    return closeConnection(this.client);
  }
}

/** Opens a connection outside the pool. When it breaks, the running statement fails. */
export async function openConnection(url: string): Promise<Connection> {
  const client = new pg.Client(connectionSettings(url));
  client.on("error", () => undefined);
  await client.connect();
  return new OwnConnection(client);
}

/** Closes a connection outside the pool; one that no longer answers is destroyed after a second. Never throws. */
export async function closeConnection(client: pg.Client): Promise<void> {
  const cut = setTimeout(() => client.connection.stream.destroy(), closeTimeoutMillis);
  await client.end().catch(() => undefined);
  clearTimeout(cut);
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
