import { type Db, rows } from "../platform/database/connection.js";
import { unhurried } from "./unhurried.js";

// The statements of delivering. A destination that a node delivers to carries that node's lease; statements that move
// its schedule name the lease, so that a node which lost it changes nothing.

/** Destinations that are due and that no node delivers to; those whose last delivery failed are found apart. */
export async function findDue(
  db: Db,
  { nowMillis, limit, failing }: { nowMillis: number; limit: number; failing: boolean },
): Promise<string[]> {
  const found = await rows<{ domain: string }>(
    db,
    `select domain
     from outbox_destinations
     where lease_node is null and next_attempt_millis <= :nowMillis::bigint and (failures > 0) = :failing::boolean
     order by next_attempt_millis
     limit :limit::integer`,
    { nowMillis, limit, failing },
  );
  return found.map(({ domain }) => domain);
}

/** One node's right to deliver to one destination. */
export interface Lease {
  domain: string;
  leaseId: string;
}

/** What a node takes over with a destination. */
export interface Claimed {
  failures: number;
  /** The transaction that has had no answer yet. */
  transaction: StoredTransaction | null;
  /** Most messages of the next transaction, where a larger one was refused as a whole. */
  transactionLimit: number | null;
  /** Whether there are recipients that are held. */
  held: boolean;
}

/** A transaction's identity: the same in all its attempts. */
export interface StoredTransaction {
  id: string;
  /** Unix seconds. */
  at: number;
  positions: number[];
}

interface ClaimedRow {
  failures: number;
  transaction_id: string | null;
  transaction_at: number | null;
  transaction_positions: number[] | null;
  transaction_limit: number | null;
  held: boolean;
}

/** Takes a destination that is due; undefined where another node was faster. */
export async function claimDestination(
  db: Db,
  { domain, leaseId, node, nowMillis, leaseSeconds }: Lease & { node: string; nowMillis: number; leaseSeconds: number },
): Promise<Claimed | undefined> {
  const [row] = await rows<ClaimedRow>(
    db,
    `update outbox_destinations
     set lease_node = :node::text, lease_id = :leaseId::uuid,
         lease_until = clock_timestamp() + make_interval(secs => :leaseSeconds::integer)
     where domain = :domain::text and lease_node is null and next_attempt_millis <= :nowMillis::bigint
     returning failures, transaction_id, transaction_at, transaction_positions, transaction_limit,
               exists (select from outbox_holds as h where h.domain = :domain::text) as held`,
    { domain, leaseId, node, nowMillis, leaseSeconds },
  );
  if (row === undefined) return undefined;
  const { failures, transaction_limit: transactionLimit, held } = row;
  return { failures, transaction: storedTransaction(row), transactionLimit, held };
}

function storedTransaction(row: ClaimedRow): StoredTransaction | null {
  const { transaction_id: id, transaction_at: at, transaction_positions: positions } = row;
  return id === null || at === null || positions === null ? null : { id, at, positions };
}

/** Every lease, with whether its time is over by the database's clock, which no test moves. */
export async function findLeases(db: Db): Promise<(Lease & { node: string; over: boolean })[]> {
  return rows(
    db,
    `select domain, lease_id as "leaseId", lease_node as node, lease_until < clock_timestamp() as over
     from outbox_destinations
     where lease_node is not null`,
  );
}

/** Ends a lease and says when the destination is due next; the transaction without an answer stays. */
export async function releaseDestination(
  db: Db,
  { domain, leaseId, nextAttemptMillis }: Lease & { nextAttemptMillis: number },
): Promise<void> {
  await rows(
    db,
    `update outbox_destinations
     set next_attempt_millis = :nextAttemptMillis::bigint, lease_node = null, lease_id = null, lease_until = null
     where domain = :domain::text and lease_id = :leaseId::uuid`,
    { domain, leaseId, nextAttemptMillis },
  );
}

/** The same after an attempt that failed. */
export async function releaseFailed(
  db: Db,
  failed: Lease & { nextAttemptMillis: number; nowMillis: number; problem: string },
): Promise<void> {
  await rows(
    db,
    `update outbox_destinations
     set next_attempt_millis = :nextAttemptMillis::bigint, failures = failures + 1,
         failed_at = :nowMillis::bigint / 1000, problem = :problem::text,
         lease_node = null, lease_id = null, lease_until = null
     where domain = :domain::text and lease_id = :leaseId::uuid`,
    { ...failed },
  );
}

/**
 * Ends the lease of a destination for which nothing waits, and answers true; else leaves it and answers false. The
 * intake adds under the same row's lock, so what it adds is seen here or makes the destination due anew.
 */
export async function releaseIdle(db: Db, { domain, leaseId }: Lease): Promise<boolean> {
  const released = await rows(
    db,
    `update outbox_destinations
     set next_attempt_millis = null, transaction_id = null, transaction_at = null, transaction_positions = null,
         lease_node = null, lease_id = null, lease_until = null
     where domain = :domain::text and lease_id = :leaseId::uuid and messages <= 0
     returning 1`,
    { domain, leaseId },
  );
  return released.length > 0;
}

/** What a transaction may hold, and what it is to be called. */
export interface Choice extends Lease {
  transactionId: string;
  nowMillis: number;
  leaseSeconds: number;
  /** Rows up to this position are passed over. */
  after: number;
  limit: number;
  bytes: number;
}

export interface Chosen extends StoredTransaction {
  bytes: number;
}

/**
 * Makes the first rows that may go a transaction and stores what it is made of. They end before the row that would
 * bring their ciphertexts over `bytes`; one row goes in any case. Recipients that are held are passed over, so one full
 * queue stops nobody else, and the order per recipient stands. Undefined where there is nothing to send, or the lease
 * is lost.
 */
export async function beginTransaction(db: Db, choice: Choice): Promise<Chosen | undefined> {
  const [row] = await rows<{ positions: number[]; bytes: number }>(
    db,
    `with queue as (
       select o.position, octet_length(o.ciphertext) as bytes
       from outbox as o
       where o.domain = :domain::text and o.position > :after::bigint and o.expires_at > :now::bigint
         and not exists (
           select from outbox_holds as h
           where h.domain = o.domain and h.recipient = o.recipient and h.until_millis > :nowMillis::bigint
         )
       order by o.position
       limit :limit::integer
     ),
     sized as (
       select position, bytes, row_number() over (order by position) as number,
              sum(bytes) over (order by position) as sum
       from queue
     ),
     chosen as (
       select array_agg(position order by position) as positions, sum(bytes) as bytes
       from sized
       where number = 1 or sum <= :bytes::bigint
       having count(*) > 0
     )
     update outbox_destinations as d
     set transaction_id = :transactionId::uuid, transaction_at = :now::bigint, transaction_positions = c.positions,
         lease_until = clock_timestamp() + make_interval(secs => :leaseSeconds::integer)
     from chosen as c
     where d.domain = :domain::text and d.lease_id = :leaseId::uuid
     returning c.positions, c.bytes`,
    { ...choice, now: Math.floor(choice.nowMillis / 1000) },
  );
  if (row === undefined) return undefined;
  return { id: choice.transactionId, at: Math.floor(choice.nowMillis / 1000), ...row };
}

/** A message as it goes to its destination. */
export interface DepartingMessage {
  position: number;
  message_id: string;
  recipient: string;
  ciphertext: Buffer;
  sender_signature: string;
  sent_at: number;
  system_event: { event: string; extensionType: string | null } | null;
  dedup_tag: Buffer;
}

/** Rows of one destination by their positions, those whose time is not over. */
export async function readWaiting(
  db: Db,
  from: { domain: string; positions: readonly number[]; now: number },
): Promise<DepartingMessage[]> {
  return rows(
    db,
    `select position, message_id, recipient, ciphertext, sender_signature, sent_at, system_event, dedup_tag
     from outbox
     where domain = :domain::text and position = any(:positions::bigint[]) and expires_at > :now::bigint
     order by position`,
    from,
  );
}

/** Sum of the bytes of rows that are there and whose time is not over, and their number. */
export async function measureWaiting(
  db: Db,
  from: { domain: string; positions: readonly number[]; now: number },
): Promise<{ count: number; bytes: number }> {
  const [row] = await rows<{ count: number; bytes: number }>(
    db,
    `select count(*) as count, coalesce(sum(octet_length(ciphertext)), 0) as bytes
     from outbox
     where domain = :domain::text and position = any(:positions::bigint[]) and expires_at > :now::bigint`,
    from,
  );
  return row ?? { count: 0, bytes: 0 };
}

/** What an answer comes to. */
export interface Settlement {
  domain: string;
  /** Rows that are done with, delivered or refused for good. */
  positions: readonly number[];
  now: number;
  failures: number;
  /** Most messages of the next transaction; null is the usual number. */
  limit: number | null;
}

/**
 * Ends a transaction that was answered and removes what is done with; returns the positions that were still there.
 * Whoever else removes the same rows gets none of them, so each is counted once. It holds whether or not the lease does:
 * what the peer has taken, it has taken.
 */
export async function settleTransaction(db: Db, settled: Settlement): Promise<number[]> {
  const [row] = await rows<{ positions: number[] }>(
    db,
    `${unhurried},
     gone as (
       delete from outbox
       where domain = :domain::text and position = any(:positions::bigint[])
       returning position, octet_length(ciphertext) as bytes
     )
     update outbox_destinations as o
     set messages = o.messages - g.messages, bytes = o.bytes - g.bytes,
         transaction_id = null, transaction_at = null, transaction_positions = null,
         transaction_limit = :limit::integer, reached_at = :now::bigint,
         failures = :failures::integer, failed_at = null, problem = null
     from (
       select count(*) as messages, coalesce(sum(bytes), 0) as bytes, coalesce(array_agg(position), '{}') as positions
       from gone
     ) as g, unhurried
     where o.domain = :domain::text
     returning g.positions`,
    { ...settled },
  );
  return row?.positions ?? [];
}

/** Gives up a transaction that was refused as a whole: the next one has another id, and at most `limit` messages. */
export async function abandonTransaction(
  db: Db,
  { domain, leaseId, limit }: Lease & { limit: number | null },
): Promise<void> {
  await rows(
    db,
    `update outbox_destinations
     set transaction_id = null, transaction_at = null, transaction_positions = null, transaction_limit = :limit::integer
     where domain = :domain::text and lease_id = :leaseId::uuid`,
    { domain, leaseId, limit },
  );
}

/** Recipients at a destination that are not to be written to for a while. */
export interface Hold {
  recipient: string;
  untilMillis: number;
}

/** How often each of these recipients has been put off. */
export async function readHolds(
  db: Db,
  { domain, recipients }: { domain: string; recipients: readonly string[] },
): Promise<Map<string, number>> {
  const found = await rows<{ recipient: string; failures: number }>(
    db,
    `select recipient, failures
     from outbox_holds
     where domain = :domain::text and recipient = any(:recipients::uuid[])`,
    { domain, recipients },
  );
  return new Map(found.map((row) => [row.recipient, row.failures]));
}

/** Puts recipients off, counting how often. */
export async function holdRecipients(
  db: Db,
  { domain, holds }: { domain: string; holds: readonly Hold[] },
): Promise<void> {
  await rows(
    db,
    `insert into outbox_holds as h (domain, recipient, failures, until_millis)
     select :domain::text, d.recipient, 1, d.until_millis
     from unnest(:recipients::uuid[], :untilMillis::bigint[]) as d (recipient, until_millis)
     on conflict (domain, recipient) do update
     set failures = h.failures + 1, until_millis = excluded.until_millis`,
    {
      domain,
      recipients: holds.map(({ recipient }) => recipient),
      untilMillis: holds.map(({ untilMillis }) => untilMillis),
    },
  );
}

/** Ends the holds of these recipients. */
export async function endHolds(
  db: Db,
  { domain, recipients }: { domain: string; recipients: readonly string[] },
): Promise<void> {
  await rows(db, "delete from outbox_holds where domain = :domain::text and recipient = any(:recipients::uuid[])", {
    domain,
    recipients,
  });
}

/** Ends every hold at a destination. */
export async function endAllHolds(db: Db, domain: string): Promise<void> {
  await rows(db, "delete from outbox_holds where domain = :domain::text", { domain });
}

/** When the first hold at a destination ends; null where there is none. */
export async function firstHoldEnd(db: Db, domain: string): Promise<number | null> {
  const [row] = await rows<{ until_millis: number | null }>(
    db,
    "select min(until_millis) as until_millis from outbox_holds where domain = :domain::text",
    { domain },
  );
  return row?.until_millis ?? null;
}

/** Makes a destination that waits for its next attempt due now, and forgets its failures. False where it was due. */
export async function clearBackoff(
  db: Db,
  { domain, nowMillis }: { domain: string; nowMillis: number },
): Promise<boolean> {
  const cleared = await rows(
    db,
    `update outbox_destinations
     set next_attempt_millis = :nowMillis::bigint, failures = 0
     where domain = :domain::text and lease_node is null and next_attempt_millis > :nowMillis::bigint
     returning 1`,
    { domain, nowMillis },
  );
  return cleared.length > 0;
}

/** The same for every destination at a host, whatever its port, and below it. */
export async function clearBackoffBelow(
  db: Db,
  { host, nowMillis }: { host: string; nowMillis: number },
): Promise<boolean> {
  const cleared = await rows(
    db,
    `update outbox_destinations
     set next_attempt_millis = :nowMillis::bigint, failures = 0
     where (split_part(domain, ':', 1) = :host::text or split_part(domain, ':', 1) like :below::text)
       and lease_node is null and next_attempt_millis > :nowMillis::bigint
     returning 1`,
    { host, below: `%.${host.replaceAll(/[%_\\]/g, "\\$&")}`, nowMillis },
  );
  return cleared.length > 0;
}
