import { joinHashes } from "../../platform/auth/keyed-hash.js";
import { asynchronousCommit } from "../../platform/database/asynchronous-commit.js";
import { type Db, type Pipeline, rows } from "../../platform/database/connection.js";
import type { ClaimedTransaction } from "./idempotency-store.js";

/** What is to be known of a delivery once it is done. */
export interface DeliveryRecord<Answer = unknown> {
  transaction: ClaimedTransaction;
  answer: Answer;
  host: string;
  day: number;
  delivered: number;
  rejected: number;
  now: number;
  /** Of the messages that were queued, the keys under which their origin is found, until a day. */
  origins: { keys: readonly string[]; expiresOn: number };
}

/**
 * Stores the answer of a transaction, where its messages came from, and the counters of its server: all or nothing, and
 * in one trip to the database. The answer is stored nowhere once somebody else has taken the transaction over.
 */
export async function recordDelivery(db: Db | Pipeline, record: DeliveryRecord): Promise<void> {
  await rows(db, recordSql(`${asynchronousCommit},`, "from unhurried"), bindingsOf(record));
}

/** The same within a transaction, whose commit is waited for. */
export async function recordDeliveryInTransaction(trx: Pipeline, record: DeliveryRecord): Promise<void> {
  await rows(trx, recordSql("with", ""), bindingsOf(record));
}

function bindingsOf({ transaction, origins, answer, ...counted }: DeliveryRecord) {
  // In order, so that two transactions that insert the same keys wait for each other in one direction.
  const keys = joinHashes([...origins.keys].sort());
  return { ...transaction, ...counted, ...keys, answer: JSON.stringify(answer), expiresOn: origins.expiresOn };
}

function recordSql(opening: string, from: string): string {
  return `${opening}
     answered as (
       update federation_transactions set answer = :answer::jsonb
       where origin = :origin::text and transaction_id = :transactionId::uuid and claim = :claim::uuid
     ),
     remembered as (
       insert into federation_origins (key, host, expires_on)
       select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer), :host::text,
              :expiresOn::integer
       from generate_series(1, :count::integer) as n
       on conflict (key, host) do nothing
     ),
     noted as (
       update federation_peers
       set last_activity = greatest(last_activity, :now::bigint), delivered_total = delivered_total + :delivered::bigint
       where host = :host::text
     )
     insert into federation_peer_days (host, day, delivered, rejected)
     select :host::text, :day::integer, :delivered::bigint, :rejected::bigint
     ${from}
     on conflict (host, day) do update
     set delivered = federation_peer_days.delivered + excluded.delivered,
         rejected = federation_peer_days.rejected + excluded.rejected`;
}
