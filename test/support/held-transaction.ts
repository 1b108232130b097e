import type { Database, Transaction } from "../../src/database/db.js";

/** A transaction that a test leaves open, for its locks. */
type HeldTransaction = Transaction & { commit(): Promise<void>; rollback(): Promise<void> };

class Undo extends Error {}

export async function holdTransaction(db: Database): Promise<HeldTransaction> {
  return new Promise((opened, failed) => {
    const ended = db.transaction(
      (trx) =>
        new Promise<void>((end, undo) => {
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
        }),
    );
    ended.catch(failed);
  });
}
