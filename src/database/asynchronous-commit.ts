import type { Db } from "./db.js";

/**
 * The beginning of a statement that returns before its commit is on disk; the statement selects from
 * `asynchronous_commit`. For writes that a crash of the database may lose because repeating them is harmless: a lease
 * or a window is taken again, the next heartbeat follows, duplicate messages are recognised and answered again, and a
 * settled transaction is sent again under the same id. Later synchronous commits also bring earlier asynchronous
 * commits to disk.
 */
export const asynchronousCommit = "with asynchronous_commit as (select set_config('synchronous_commit', 'off', true))";

/** The same for a transaction with several statements: its locks are not held until the commit is on disk. */
export async function commitAsynchronously(trx: Db): Promise<void> {
  await trx.run("select set_config('synchronous_commit', 'off', true)");
}
