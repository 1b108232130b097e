import { type Db, rows } from "./connection.js";

/**
 * The beginning of a statement that returns before its commit is on disk; the statement selects from `asynchronous_commit`.
 * It is for writes that may be lost in a crash of the database because repeating them is harmless: a lease or a window is
 * taken again, a heartbeat is followed by the next, an answer is made again for messages that are recognised as duplicates,
 * and a settled transaction is sent again under the same id. Later synchronous commits bring earlier asynchronous ones to
 * disk with them.
 */
export const asynchronousCommit = "with asynchronous_commit as (select set_config('synchronous_commit', 'off', true))";

/** The same for a transaction with several statements: its locks are not held until the commit is on disk. */
export async function commitAsynchronously(trx: Db): Promise<void> {
  await rows(trx, "select set_config('synchronous_commit', 'off', true)");
}
