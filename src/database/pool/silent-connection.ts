import type { Socket } from "node:net";
import type pg from "pg";

const boundMillis = new WeakMap<pg.Client, number>();

/** The driver's connection with a member that its types omit. */
interface Connected extends pg.Client {
  readyForQuery?: boolean;
}

/**
 * Destroys a connection whose statement has received nothing for longer than its timeout. The server itself ends a
 * statement in time; if not even that arrives, the network was cut silently, and the statement, its row locks and its
 * connection would wait until TCP gives up, a quarter of an hour later. Idle connections are left alone. Statements without
 * a timeout have no bound here either.
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
    if (isWaiting) stream.destroy(new Error("connection terminated: the database does not answer"));
  });
  stream.setTimeout(boundMillis.get(connection) ?? 0);
}

/** Removes the bound during `work`, whose statements have no timeout. */
export async function withoutSilenceBound<T>(connection: pg.Client, work: () => Promise<T>): Promise<T> {
  const stream = socketOf(connection);
  stream.setTimeout(0);
  try {
    return await work();
  } finally {
    stream.setTimeout(boundMillis.get(connection) ?? 0);
  }
}

/** Plain or encrypted, the stream is a socket. */
function socketOf(connection: pg.Client): Socket {
  return connection.connection.stream as Socket;
}
