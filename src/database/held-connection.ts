import { type Connection, closeConnection, closedOnPurpose, type Database } from "./connection.js";

/**
 * Takes a connection out of the pool for longer than a statement, for a session lock. Nobody else gets it meanwhile.
 */
export async function takeConnection(db: Database): Promise<Connection> {
  return (await db.client.acquireConnection()) as Connection;
}

/** Ends such a connection instead of returning it, so no lock stays in the pool. Never throws. */
export async function endConnection(db: Database, connection: Connection): Promise<void> {
  await closeConnection(connection);
  await db.client.releaseConnection(Object.assign(connection, { __knex__disposed: closedOnPurpose }));
}
