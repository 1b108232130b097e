import { joinHashes } from "../../auth/keyed-hash.js";
import { asynchronousCommit } from "../../database/asynchronous-commit.js";
import { inBoundedSteps } from "../../database/bounded-steps.js";
import type { Db, Executor, Pipeline } from "../../database/db.js";
import { type CountedWindow, countedWindowsAsJson, countWantedWindows } from "../../limits/windows-store.js";
import { hostStateColumns } from "../peers/read-model.js";
import { countDelivery, noteDelivery } from "../peers/store.js";

/** A delivery that asks to be admitted. */
interface Entry {
  /** The calling server, and the names whose blocks would cover it. */
  host: string;
  names: readonly string[];
  /** Whether only servers on the allowlist are admitted. */
  allowlistMode: boolean;
  wanted: WantedTransaction;
  /** The keys of the windows that count the delivery's messages, the delivery itself, and the bytes of its messages. */
  keys: readonly [messages: Buffer, transactions: Buffer, bytes: Buffer];
  windowSeconds: number;
  messages: number;
  bytes: number;
  /** The limits of a window, by status. */
  allowed: Record<"active" | "limited", { messages: number; transactions: number; bytes: number }>;
}

/** The result of entering. */
interface Entered {
  blocked: boolean;
  limited: boolean;
  listed: boolean;
  /** Whether the caller may process the transaction. False if it is known, or if the server is not admitted. */
  claimed: boolean;
  /** The windows of a claimed delivery, in this order: of messages, transactions and bytes. Null if it was not claimed. */
  counted: Omit<CountedWindow, "key">[] | null;
}

/**
 * Reads a server's status, claims its transaction if the server is admitted, and counts the claimed delivery in the
 * windows of its registrable domain if it fits. A delivery with more bytes than a window allows takes a whole window.
 * This is one statement because a busy peer waits for each round trip. A transaction can be claimed if it is unknown or
 * has expired.
 */
export async function enterDelivery(db: Executor, { wanted, allowed, keys, ...asked }: Entry): Promise<Entered> {
  const row = await db.one<Entered>(entrySql, {
    ...asked,
    ...wanted,
    messagesKey: keys[0],
    transactionsKey: keys[1],
    bytesKey: keys[2],
    maxMessages: allowed.active.messages,
    maxTransactions: allowed.active.transactions,
    maxBytes: allowed.active.bytes,
    limitedMessages: allowed.limited.messages,
    limitedTransactions: allowed.limited.transactions,
    limitedBytes: allowed.limited.bytes,
  });
  return row ?? { blocked: false, limited: false, listed: false, claimed: false, counted: null };
}

const entrySql = `
  ${asynchronousCommit},
  state as (
    select
      ${hostStateColumns}
    from asynchronous_commit
  ),
  allowed as (
    select case when limited then :limitedMessages::integer else :maxMessages::integer end as messages,
           case when limited then :limitedTransactions::integer else :maxTransactions::integer end as transactions,
           case when limited then :limitedBytes::bigint else :maxBytes::bigint end as bytes
    from state
  ),
  claimed as (
    insert into federation_transactions as t (origin, transaction_id, digest, claim, node, expires_at)
    select :origin::text, :transactionId::uuid, :digest::bytea, :claim::uuid, :node::text, :expiresAt::bigint
    from state
    where not blocked and (listed or not :allowlistMode::boolean)
    on conflict (origin, transaction_id) do update
    set digest = excluded.digest, answer = null, claim = excluded.claim, node = excluded.node,
        expires_at = excluded.expires_at
    where t.expires_at <= :now::bigint
    returning 1
  ),
  wanted_windows as (
    select w.index, w.key, null::bytea as earlier_key, w.cost, w.most, :windowSeconds::bigint as seconds
    from claimed, allowed as a, lateral (
      values (1, :messagesKey::bytea, :messages::bigint, a.messages::bigint),
             (2, :transactionsKey::bytea, 1::bigint, a.transactions::bigint),
             (3, :bytesKey::bytea, least(:bytes::bigint, a.bytes), a.bytes)
    ) as w (index, key, cost, most)
  ),
  ${countWantedWindows}
  select blocked, limited, listed, exists (select from claimed) as claimed,
         (${countedWindowsAsJson}) as counted
  from state`;

interface TransactionKey {
  origin: string;
  transactionId: string;
}

/** A transaction that this call may process. */
export interface ClaimedTransaction extends TransactionKey {
  claim: string;
}

/** The call and the node that process a transaction. */
interface Claim {
  claim: string;
  node: string;
}

/** A transaction to claim. Times are Unix seconds. The answer is kept until `expiresAt`. */
export interface WantedTransaction extends TransactionKey, Claim {
  digest: Buffer;
  now: number;
  expiresAt: number;
}

/** A known transaction. `answer` is null while it is being processed. */
export interface StoredTransaction<A> extends Claim {
  digest: Buffer;
  answer: A | null;
}

export async function readTransaction<A>(db: Db, key: TransactionKey): Promise<StoredTransaction<A> | undefined> {
  const found = await db.one<StoredTransaction<A>>(
    `select digest, answer, claim, node from federation_transactions
     where origin = :origin::text and transaction_id = :transactionId::uuid`,
    { ...key },
  );
  return found;
}

/**
 * Takes over a transaction from the claim `before`. False if another call was faster or the transaction has been
 * answered.
 */
export async function takeOverTransaction(
  db: Db,
  wanted: TransactionKey & Claim & { digest: Buffer; before: string },
): Promise<boolean> {
  const taken = await db.rows(
    `update federation_transactions set digest = :digest::bytea, claim = :claim::uuid, node = :node::text
     where origin = :origin::text and transaction_id = :transactionId::uuid
       and claim = :before::uuid and answer is null
     returning claim`,
    { ...wanted },
  );
  return taken.length > 0;
}

/** Releases a transaction that could not be processed, so that it can be retried. */
export async function releaseTransaction(db: Db, given: ClaimedTransaction): Promise<void> {
  await db.run(
    `delete from federation_transactions
     where origin = :origin::text and transaction_id = :transactionId::uuid and claim = :claim::uuid
       and answer is null`,
    { ...given },
  );
}

export async function deleteExpiredTransactions(db: Db, now: number): Promise<void> {
  await db.run("delete from federation_transactions where expires_at <= :now::bigint", { now });
}

/** The record of a processed delivery. */
export interface DeliveryRecord<Answer = unknown> {
  transaction: ClaimedTransaction;
  answer: Answer;
  host: string;
  day: number;
  delivered: number;
  rejected: number;
  now: number;
  /** The keys under which the origins of the queued messages are stored, and the last day. */
  origins: { keys: readonly string[]; expiresOn: number };
}

/**
 * Stores the answer of a transaction, the origin of its messages, and the counters of its server, all in one statement.
 * The answer is not stored if another call has taken the transaction over.
 */
export async function recordDelivery(db: Executor, record: DeliveryRecord): Promise<void> {
  await db.run(recordSql(`${asynchronousCommit},`, "from asynchronous_commit"), bindingsOf(record));
}

/** The same within a database transaction. */
export async function recordDeliveryInTransaction(trx: Pipeline, record: DeliveryRecord): Promise<void> {
  await trx.run(recordSql("with", ""), bindingsOf(record));
}

function bindingsOf({ transaction, origins, answer, ...counted }: DeliveryRecord) {
  // Sorted, so that two transactions that insert the same keys cannot deadlock.
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
     noted as (${noteDelivery}
     )
     ${countDelivery(from)}`;
}

/** Marks a nonce as used. False if it was used before. */
export async function insertUsedNonce(db: Db, used: { nonce: Buffer; expiresAt: number }): Promise<boolean> {
  const inserted = await db.rows(
    `insert into used_nonces (nonce, expires_at) values (:nonce::bytea, :expiresAt::bigint)
     on conflict (nonce) do nothing
     returning nonce`,
    used,
  );
  return inserted.length > 0;
}

/** Expired nonces can be deleted because they are refused anyway. */
export async function deleteExpiredNonces(db: Db, now: number): Promise<void> {
  await db.run("delete from used_nonces where expires_at <= :now::bigint", { now });
}

/** The hosts that sent the messages with these keys. */
export async function readOrigins(db: Db, keys: readonly string[]): Promise<{ key: string; host: string }[]> {
  const sql = `
    select key, host from federation_origins
    where key = any(array(
      select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer)
      from generate_series(1, :count::integer) as n))
    order by host`;
  const found = await db.rows<{ key: Buffer; host: string }>(sql, joinHashes(keys));
  return found.map(({ key, host }) => ({ key: key.toString("latin1"), host }));
}

/** Deletes at most `limit` expired origins and returns their number. */
export async function deleteExpiredOrigins(
  db: Db,
  { today, limit }: { today: number; limit: number },
): Promise<number> {
  const sql = `
    delete from federation_origins
    where (key, host) in (
      select key, host from federation_origins where expires_on < :today::integer limit :limit::integer)
    returning 1`;
  return (await db.rows(sql, { today, limit })).length;
}

/** Peers with the same certificate share a row, which is kept until the last of their tokens has expired. */
export async function insertSessionChain(
  db: Db,
  kept: { id: string; chain: Buffer; expiresAt: number },
): Promise<void> {
  await db.run(
    `insert into federation_session_chains (id, chain, expires_at)
     values (decode(:id::text, 'hex'), :chain::bytea, :expiresAt::bigint)
     on conflict (id) do update
     set expires_at = greatest(federation_session_chains.expires_at, excluded.expires_at)`,
    kept,
  );
}

export async function readSessionChain(db: Db, id: string): Promise<Buffer | undefined> {
  const sql = "select chain from federation_session_chains where id = decode(:id::text, 'hex')";
  const row = await db.one<{ chain: Buffer }>(sql, { id });
  return row?.chain;
}

const rowsPerStep = 1000;

export async function deleteExpiredChains(db: Db, now: number): Promise<void> {
  const sql = `
    delete from federation_session_chains as c
    using (
      select id from federation_session_chains
      where expires_at <= :now::bigint order by expires_at limit :limit::integer
    ) as expired
    where c.id = expired.id and c.expires_at <= :now::bigint
    returning 1`;
  await inBoundedSteps(rowsPerStep, async (limit) => (await db.rows(sql, { now, limit })).length);
}
