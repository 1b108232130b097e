import type { Database, Transaction } from "./db.js";

const attempts = 6;

// Deadlock and serialisation failure (PostgreSQL, appendix A): the other transaction won, so this one may run again.
const lostRaces: ReadonlySet<unknown> = new Set(["40P01", "40001"]);

/** Whether a transaction failed only because of a concurrent one. */
function isSerializationFailure(error: unknown): boolean {
  return lostRaces.has((error as { code?: unknown } | null)?.code);
}

/** Repeats `work` after lost races, and after the errors that `isLost` names; throws every other error. */
export async function retrying<T>(
  work: () => Promise<T>,
  isLost: (error: unknown) => boolean = () => false,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !(isSerializationFailure(error) || isLost(error))) throw error;
    }
  }
}

/** A transaction, repeated after lost races; `work` must be repeatable. */
export function inPersistentTransaction<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return retrying(() => db.transaction(work));
}
