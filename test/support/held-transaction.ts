import type { Database, Transaction } from "../../src/database/db.js";

/** The database ends transactions of ours that do nothing for some seconds. What a test waits for in one may take longer on a busy machine. */
export async function mayIdle(trx: Transaction): Promise<void> {
  await trx.run("set local idle_in_transaction_session_timeout = 0");
}

/** A transaction that a test leaves open, for its locks. */
type HeldTransaction = Transaction & { commit(): Promise<void>; rollback(): Promise<void> };

class Undo extends Error {}

export async function holdTransaction(db: Database): Promise<HeldTransaction> {
  return new Promise((opened, failed) => {
    const ended = db.transaction(async (trx) => {
      await mayIdle(trx);
      return new Promise<void>((end, undo) => {
        const commit = () => {
          end();
          return ended;
        };
        const rollback = () => {
          undo(new Undo());
          return ended.catch((error: unknown) => {
            if (!(error instanceof Undo)) throw error;
          });
        };
        opened(Object.assign(trx, { commit, rollback }));
      });
    });
    ended.catch(failed);
  });
}
