import type { Knex } from "knex";
import { inTransaction, type Transaction } from "./connection.js";

const attempts = 4;

// Deadlock and serialisation failure (PostgreSQL, appendix A): the other transaction won, so this one may run again.
const lostRaces: ReadonlySet<unknown> = new Set(["40P01", "40001"]);

/** Whether a transaction failed only because of a concurrent one. */
export function isSerializationFailure(error: unknown): boolean {
  return lostRaces.has((error as { code?: unknown } | null)?.code);
}

/** `inTransaction`, repeated after serialisation failures; `work` must be repeatable. */
export async function inPersistentTransaction<T>(db: Knex, work: (trx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(db, work);
    } catch (error) {
      if (attempt >= attempts || !isSerializationFailure(error)) throw error;
    }
  }
}
