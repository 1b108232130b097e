import type { Database, HeldConnection } from "../db.js";

/**
 * Throws if the database's URL leads to a pooler that gives each transaction another session of PostgreSQL. The relay
 * keeps state in sessions: LISTEN, advisory locks, prepared statements, settings. Without them it would not fail, but
 * lose notifications and locks.
 */
export async function refuseTransactionPooling(db: Database): Promise<void> {
  if (!(await sharesSessions(db))) return;
  throw new Error(
    "DATABASE_URL leads to a pooler that gives each transaction another database session (pool_mode = transaction in " +
      "PgBouncer). The relay needs sessions for LISTEN, advisory locks and prepared statements: point DATABASE_URL to " +
      "PostgreSQL itself, or to a pool with pool_mode = session",
  );
}

/**
 * Whether two connections saw one process of the server, or one connection saw two. In this order of queries, one of
 * the two happens with any pool, whether it lends the most recently returned session or the one that has waited
 * longest.
 */
async function sharesSessions(db: Database): Promise<boolean> {
  const [first, second] = await Promise.all([db.takeConnection(), db.takeConnection()]);
  try {
    const seen: [HeldConnection, number][] = [];
    for (const connection of [first, second, second, first]) seen.push([connection, await processOf(connection)]);
    const pairs = new Set(seen.map(([connection, pid]) => `${connection === first} ${pid}`));
    const processes = new Set(seen.map(([, pid]) => pid));
    return pairs.size !== 2 || processes.size !== 2;
  } finally {
    first.giveBack();
    second.giveBack();
  }
}

async function processOf(connection: HeldConnection): Promise<number> {
  const found = await connection.one<{ pid: number }>("select pg_backend_pid() as pid");
  return found?.pid ?? 0;
}
