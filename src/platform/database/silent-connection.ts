import type { Socket } from "node:net";
import type { Knex } from "knex";
import type pg from "pg";

const boundMillis = new WeakMap<pg.Client, number>();

/** A connection as the driver has it, with what it does not declare. */
interface Connected extends pg.Client {
  readyForQuery?: boolean;
}

/**
 * Breaks a connection on which a statement has heard nothing for longer than the statement may take. The server ends a
 * statement in time by itself; where not even that is heard, the network is cut without anybody having closed anything, and
 * the statement, with its row locks and its connection of the pool, would wait for as long as TCP tries again: a quarter
 * of an hour. A connection on which nothing goes on is left alone. Statements without a time limit have no bound here either.
 */
export function breakSilentConnections(
  connection: pg.Client,
  { statementTimeoutSeconds, graceSeconds }: { statementTimeoutSeconds: number; graceSeconds: number },
): void {
  if (statementTimeoutSeconds === 0) return;
  const stream = socketOf(connection);
  boundMillis.set(connection, (statementTimeoutSeconds + graceSeconds) * 1000);
  stream.on("timeout", () => {
    const isWaiting = (connection as Connected).readyForQuery === false;
    if (isWaiting) stream.destroy(new Error("connection terminated: the database keeps silent"));
  });
  stream.setTimeout(boundMillis.get(connection) ?? 0);
}

/** Lifts the bound for a transaction in which statements may take as long as they need. */
export async function withoutSilenceBound<T>(trx: Knex.Transaction, work: () => Promise<T>): Promise<T> {
  const connection: pg.Client = await trx.client.acquireConnection();
  const stream = socketOf(connection);
  stream.setTimeout(0);
  try {
    return await work();
  } finally {
    stream.setTimeout(boundMillis.get(connection) ?? 0);
  }
}

/** Plain or encrypted, it is a socket. */
function socketOf(connection: pg.Client): Socket {
  return connection.connection.stream as Socket;
}
