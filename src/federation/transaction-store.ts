import { type Db, rows } from "../platform/database/connection.js";
import { unhurried } from "./unhurried.js";

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

/** A transaction as it is kept; `answer` null while it is being processed. */
export interface StoredTransaction<A> extends Claim {
  digest: Buffer;
  answer: A | null;
}

/** Claims a transaction that is not there, or that has expired; false where there is one. */
export async function claimTransaction(
  db: Db,
  wanted: TransactionKey & Claim & { digest: Buffer; now: number; expiresAt: number },
): Promise<boolean> {
  const claimed = await rows(
    db,
    `${unhurried}
     insert into federation_transactions as t (origin, transaction_id, digest, claim, node, expires_at)
     select :origin::text, :transactionId::uuid, :digest::bytea, :claim::uuid, :node::text, :expiresAt::bigint
     from unhurried
     on conflict (origin, transaction_id) do update
     set digest = excluded.digest, answer = null, claim = excluded.claim, node = excluded.node,
         expires_at = excluded.expires_at
     where t.expires_at <= :now::bigint
     returning claim`,
    { ...wanted },
  );
  return claimed.length > 0;
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
