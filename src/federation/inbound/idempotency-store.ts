import { type Db, rows } from "../../platform/database/connection.js";

export interface TransactionKey {
  origin: string;
  transactionId: string;
}

/** A transaction that is ours to process. */
export interface ClaimedTransaction extends TransactionKey {
  claim: string;
}

/** Who processes a transaction. */
export interface Claim {
  claim: string;
  node: string;
}

/** A transaction that somebody wants to process. Times are Unix seconds; `expiresAt` is the end of the answer. */
export interface WantedTransaction extends TransactionKey, Claim {
  digest: Buffer;
  now: number;
  expiresAt: number;
}

/** A transaction as it is kept; `answer` null while it is being processed. */
export interface StoredTransaction<A> extends Claim {
  digest: Buffer;
  answer: A | null;
}

export async function readTransaction<A>(db: Db, key: TransactionKey): Promise<StoredTransaction<A> | undefined> {
  const [found] = await rows<StoredTransaction<A>>(
    db,
    `select digest, answer, claim, node from federation_transactions
     where origin = :origin::text and transaction_id = :transactionId::uuid`,
    { ...key },
  );
  return found;
}

/** Takes the processing over from whoever had it, if nobody else has done so meanwhile. */
export async function takeOverTransaction(
  db: Db,
  wanted: TransactionKey & Claim & { before: string },
): Promise<boolean> {
  const taken = await rows(
    db,
    `update federation_transactions set claim = :claim::uuid, node = :node::text
     where origin = :origin::text and transaction_id = :transactionId::uuid
       and claim = :before::uuid and answer is null
     returning claim`,
    { ...wanted },
  );
  return taken.length > 0;
}

/** Gives a transaction up that could not be processed, so that it can be tried again. */
export async function releaseTransaction(db: Db, given: ClaimedTransaction): Promise<void> {
  await rows(
    db,
    `delete from federation_transactions
     where origin = :origin::text and transaction_id = :transactionId::uuid and claim = :claim::uuid
       and answer is null`,
    { ...given },
  );
}

export async function deleteExpiredTransactions(db: Db, now: number): Promise<void> {
  await rows(db, "delete from federation_transactions where expires_at <= :now::bigint", { now });
}
