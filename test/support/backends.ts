import type { Db } from "../../src/database/db.js";

/** Whether the tests run on a distributed database. */
export const isDistributed = Boolean(process.env["TEST_CITUS_URL"]);

/**
 * The sessions of this database that wait for a lock. On a distributed database they may wait on any of its machines.
 */
export async function waitingBackends(db: Db): Promise<number[]> {
  const found = await db.rows<{ pid: number }>(
    isDistributed
      ? "select distinct waiting_gpid as pid from citus_lock_waits"
      : `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
  );
  return found.map(({ pid }) => pid);
}

/** Ends one of these sessions. */
export async function terminateBackend(db: Db, pid: number): Promise<void> {
  // On a distributed database the session has a number that is unique on all machines and may exceed an integer.
  await db.run(`select pg_terminate_backend(:pid::${isDistributed ? "bigint" : "integer"})`, { pid });
}
