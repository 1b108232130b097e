import { type Db, type Pipeline, rows } from "../platform/database/connection.js";
import type { Lease, StoredTransaction } from "./sending-store.js";
import { unhurried } from "./unhurried.js";

// The statements by which transactions are made and ended.

/** A message as it goes to its destination. */
export interface DepartingMessage {
  position: number;
  message_id: string;
  recipient: string;
  /** In base64, its lines ended as in MIME. */
  ciphertext: string;
  sender_signature: string;
  sent_at: number;
  system_event: { event: string; extensionType: string | null } | null;
  /** In hexadecimal. */
  dedup_tag: string;
}

/** What a transaction may hold. */
export interface Bounds {
  domain: string;
  nowMillis: number;
  /** Rows up to this position are passed over. */
  after: number;
  limit: number;
  bytes: number;
  /** The messages are read at once where they have no more bytes than this; else only their positions are. */
  room: number;
}

/** What it is to be called. */
export interface Choice extends Bounds, Lease {
  transactionId: string;
  leaseSeconds: number;
}

export interface Chosen extends StoredTransaction {
  bytes: number;
  /** Undefined where there was no room for them. */
  messages: readonly DepartingMessage[] | undefined;
}

/**
 * The first rows that may go. They end before the row that would bring their ciphertexts over `bytes`; one row goes in
 * any case. Recipients that are held are passed over, so one full queue stops nobody else, and the order per recipient
 * stands. Each step is made once: a plan that is kept would else make the last one anew for every row.
 */
const picking = `
  queue as materialized (
    select o.position, o.message_id, o.recipient, o.ciphertext, o.sender_signature, o.sent_at, o.system_event,
           o.dedup_tag, octet_length(o.ciphertext) as size
    from outbox as o
    where o.domain = :domain::text and o.position > :after::bigint and o.expires_at > :now::bigint
      and not exists (
        select from outbox_holds as h
        where h.domain = o.domain and h.recipient = o.recipient and h.until_millis > :nowMillis::bigint
      )
    order by o.position
    limit :limit::integer
  ),
  sized as materialized (
    select *, row_number() over (order by position) as number, sum(size) over (order by position) as sum
    from queue
  ),
  chosen as materialized (
    select array_agg(position order by position) as positions, sum(size) as bytes
    from sized
    where number = 1 or sum <= :bytes::bigint
    having count(*) > 0
  )`;

/** Bytes come in the form in which they are sent on: a client takes each of them apart and puts it together else. */
const messageColumns = `
  s.position, s.message_id, s.recipient, encode(s.ciphertext, 'base64') as ciphertext, s.sender_signature, s.sent_at,
  s.system_event, encode(s.dedup_tag, 'hex') as dedup_tag`;

/**
 * Makes the first rows that may go a transaction, stores what it is made of, and reads them. Undefined where there is
 * nothing to send, or the lease is lost.
 */
export async function beginTransaction(db: Db | Pipeline, choice: Choice): Promise<Chosen | undefined> {
  const now = Math.floor(choice.nowMillis / 1000);
  const found = await rows<DepartingMessage & { bytes: number; positions: number[] | null }>(
    db,
    `with ${picking},
     begun as (
       update outbox_destinations as d
       set transaction_id = :transactionId::uuid, transaction_at = :now::bigint, transaction_positions = c.positions,
           lease_until = clock_timestamp() + make_interval(secs => :leaseSeconds::integer)
       from chosen as c
       where d.domain = :domain::text and d.lease_id = :leaseId::uuid
       returning c.positions, c.bytes
     )
     select b.bytes, case when s.position is null then b.positions end as positions, ${messageColumns}
     from begun as b
     left join sized as s on b.bytes <= :room::bigint and (s.number = 1 or s.sum <= :bytes::bigint)
     order by s.position`,
    { ...choice, now },
  );
  const [first] = found;
  if (first === undefined) return undefined;
  const { bytes, positions } = first;
  const identity = { id: choice.transactionId, at: now, bytes };
  if (positions !== null) return { ...identity, positions, messages: undefined };
  return { ...identity, positions: found.map(({ position }) => position), messages: found };
}

/**
 * Reads what the next transaction would be made of, if it has `limit` messages; stores nothing. Undefined where there are
 * fewer, to which more may come until it is needed, and where there is no room for it.
 */
export async function readAhead(
  db: Db | Pipeline,
  bounds: Bounds,
): Promise<{ bytes: number; messages: readonly DepartingMessage[] } | undefined> {
  const messages = await rows<DepartingMessage & { bytes: number }>(
    db,
    `with ${picking}
     select c.bytes, ${messageColumns}
     from chosen as c
     join sized as s on s.number = 1 or s.sum <= :bytes::bigint
     where c.bytes <= :room::bigint and cardinality(c.positions) = :limit::integer
     order by s.position`,
    { ...bounds, now: Math.floor(bounds.nowMillis / 1000) },
  );
  const [first] = messages;
  return first === undefined ? undefined : { bytes: first.bytes, messages };
}

/** Rows of one destination by their positions, those whose time is not over. */
export async function readWaiting(
  db: Db,
  from: { domain: string; positions: readonly number[]; now: number },
): Promise<DepartingMessage[]> {
  return rows(
    db,
    `select ${messageColumns}
     from outbox as s
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

const removing = `
  gone as (
    delete from outbox
    where domain = :domain::text and position = any(:positions::bigint[])
    returning position, octet_length(ciphertext) as bytes
  ),
  removed as (
    select count(*) as messages, coalesce(sum(bytes), 0) as bytes, coalesce(array_agg(position), '{}') as positions
    from gone
  )`;

const settling = `
  messages = o.messages - r.messages, bytes = o.bytes - r.bytes, transaction_limit = :limit::integer,
  reached_at = :now::bigint, failures = :failures::integer, failed_at = null, problem = null`;

/**
 * Ends a transaction that was answered and removes what is done with; returns the positions that were still there.
 * Whoever else removes the same rows gets none of them, so each is counted once. It holds whether or not the lease does:
 * what the peer has taken, it has taken.
 */
export async function settleTransaction(db: Db | Pipeline, settled: Settlement): Promise<number[]> {
  const [row] = await rows<{ positions: number[] }>(
    db,
    `${unhurried}, ${removing}
     update outbox_destinations as o
     set ${settling}, transaction_id = null, transaction_at = null, transaction_positions = null
     from removed as r, unhurried
     where o.domain = :domain::text
     returning r.positions`,
    { ...settled },
  );
  return row?.positions ?? [];
}

/**
 * The same, and begins the transaction `next` by the same commit, if all that was read for it is still there and the
 * lease is held: then one commit lies between an answer and the next delivery, the one that is waited for.
 */
export async function settleAndBegin(
  db: Db | Pipeline,
  { settled, next }: { settled: Settlement; next: StoredTransaction & { leaseId: string; leaseSeconds: number } },
): Promise<{ gone: number[]; begun: boolean }> {
  const { id, at, positions: nextPositions, leaseId, leaseSeconds } = next;
  const [row] = await rows<{ gone: number[]; begun: boolean }>(
    db,
    `with ${removing},
     next as (
       select count(*) = cardinality(:nextPositions::bigint[]) as whole
       from outbox
       where domain = :domain::text and position = any(:nextPositions::bigint[]) and expires_at > :now::bigint
     )
     update outbox_destinations as o
     set ${settling},
         transaction_id = case when n.whole and o.lease_id = :leaseId::uuid then :id::uuid end,
         transaction_at = case when n.whole and o.lease_id = :leaseId::uuid then :at::bigint end,
         transaction_positions = case when n.whole and o.lease_id = :leaseId::uuid then :nextPositions::bigint[] end,
         lease_until = case when o.lease_id = :leaseId::uuid
                            then clock_timestamp() + make_interval(secs => :leaseSeconds::integer)
                            else o.lease_until end
     from removed as r, next as n
     where o.domain = :domain::text
     returning r.positions as gone, o.transaction_id is not null as begun`,
    { ...settled, id, at, nextPositions, leaseId, leaseSeconds },
  );
  return row ?? { gone: [], begun: false };
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
