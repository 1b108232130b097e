import { type Db, rows } from "./connection.js";

/**
 * The beginning of a statement that answers before its commit is on disk; the statement selects from `asynchronousCommit`. For what
 * may be lost with the last moments before the database crashes, because a repetition finds out: a claim and a window
 * are taken again, an answer is made again for messages that are recognised, and a transaction that was settled is sent
 * again under the same id. Later commits that are waited for bring the earlier ones to disk with them.
 */
export const asynchronousCommit = "with unhurried as (select set_config('synchronous_commit', 'off', true))";

/** The same for a transaction with several statements: its locks are not held until the commit is on disk. */
export async function commitAsynchronously(trx: Db): Promise<void> {
  await rows(trx, "select set_config('synchronous_commit', 'off', true)");
}
