import { onTestFinished } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { holdTransaction } from "./held-transaction.js";
import { until } from "./until.js";

interface HeldQueue {
  /** Waits until a flush waits for the queue. */
  waited(): Promise<void>;
  letGo(): Promise<void>;
}

/**
 * Locks the row of a device's queue, so that every flush with a message for the device waits. The usual limit on idle
 * transactions is lifted. The lock ends with the test at the latest.
 */
export async function holdQueue(databaseUrl: string, deviceId: string): Promise<HeldQueue> {
  const db = createDatabase({ url: databaseUrl, poolSize: 2 });
  const trx = await holdTransaction(db);
  await trx.run("set local idle_in_transaction_session_timeout = 0");
  await trx.run("select 1 from queues where device_id = :deviceId for update", { deviceId });
  const own = await trx.one<{ pid: number }>("select pg_backend_pid() as pid");
  const waiting = "select from pg_stat_activity where :pid::integer = any(pg_blocking_pids(pid))";
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    await trx.commit();
    await db.close();
  };
  const letGo = () => {
    released ??= release();
    return released;
  };
  onTestFinished(letGo);
  return {
    waited: () => until(async () => (await db.rows(waiting, { pid: own?.pid })).length > 0, "a flush waits"),
    letGo,
  };
}
