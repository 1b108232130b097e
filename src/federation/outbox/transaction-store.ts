import { asynchronousCommit } from "../../platform/database/asynchronous-commit.js";
import { type Db, type Pipeline, rows } from "../../platform/database/connection.js";
import type { Lease, StoredTransaction } from "./lease-store.js";

// The statements that begin and end transactions.

/** A message as it is sent to its destination. */
export interface DepartingMessage {
  position: number;
  message_id: string;
  recipient: string;
  /** Whether it is sent with its ciphertext, and not with that of the message before. */
  carried: boolean;
  /** The bytes of the ciphertext that it is sent with. */
  size: number;
  /** Base64, in lines as in MIME; null if it is not carried, or is attached. */
  ciphertext: string | null;
  /** On the first message: the ciphertexts of all of them, one behind the other, if they are attached. */
  ciphertexts: Buffer | null;
  sender_signature: string;
  sent_at: number;
  system_event: { event: string; extensionType: string | null } | null;
  /** Hexadecimal. */
  dedup_tag: string;
}

/** How messages are sent. */
export interface DeliveryForm {
  /** Whether messages that share a ciphertext are sent with one copy of it. Bytes are counted accordingly. */
  shares: boolean;
  /** Whether ciphertexts are attached to the JSON as bytes. */
  attached: boolean;
}

/** The limits of a transaction. */
export interface Bounds extends DeliveryForm {
  domain: string;
  nowMillis: number;
  /** Recipients on hold until later than this are skipped, in Unix milliseconds. */
  heldAfter: number;
  /** The transaction ends before the first row for one of these recipients. */
  busy: readonly string[];
  /** Rows up to this position are skipped. */
  after: number;
  limit: number;
  bytes: number;
  /** The messages are read as well if their bytes do not exceed this. Otherwise only their positions are read. */
  room: number;
}

/** A new transaction: its id, its lease and its limits. */
export interface Choice extends Bounds, Lease {
  transactionId: string;
}

export interface Chosen extends StoredTransaction {
  bytes: number;
  /** Undefined if they did not fit into `room`. */
  messages: readonly DepartingMessage[] | undefined;
  /** Whether there are further rows. */
  more: boolean;
}

/**
 * The first rows that may be sent. They end before the row that would bring their ciphertexts over `bytes`, but one row is
 * always included. Recipients on hold are skipped, so one full queue stops no other recipient, and the order for each
 * recipient is kept: holds count as of the beginning of a pass over the queue, so that one that ends meanwhile lets no later
 * row of a recipient overtake an earlier one. The steps are materialized, because a cached plan would otherwise repeat the last one for every row.
 * `expires_at + 0`, here and below, forces the planner to use the primary key, even just after a large outbox was emptied.
 */
const picking = `
  queue as materialized (
    select o.position, o.message_id, o.recipient, o.ciphertext, o.sender_signature, o.sent_at, o.system_event,
           o.dedup_tag, coalesce(o.shared_position, o.position) as sharing
    from outbox as o
    where o.domain = :domain::text and o.position > :after::bigint and o.expires_at + 0 > :now::bigint
      and not exists (
        select from outbox_holds as h
        where h.domain = o.domain and h.recipient = o.recipient and h.until_millis > :heldAfter::bigint
      )
    order by o.position
    limit :limit::integer
  ),
  sized as materialized (
    select *, row_number() over (order by position) as number, sum(size) over (order by position) as sum
    from (${withSizes("queue")}) as q
  ),
  blocked as materialized (
    select coalesce(min(position), 9223372036854775807) as position from sized where recipient = any(:busy::uuid[])
  ),
  chosen as materialized (
    select array_agg(position order by position) as positions, max(position) as last, sum(size) as bytes,
           count(*) < (select count(*) from sized) or count(*) = :limit::integer as more
    from sized
    where (number = 1 or sum <= :bytes::bigint) and position < (select position from blocked)
    having count(*) > 0
  )`;

/** Rows with `carried`, whether each is sent with its ciphertext, and `size`, the bytes of that. */
function withSizes(from: string): string {
  return `
    select *, case when carried then octet_length(ciphertext) else 0 end as size
    from (
      select *, not :shares::boolean or sharing is distinct from lag(sharing) over (order by position) as carried
      from ${from}
    ) as r`;
}

/** The columns come encoded as they are sent, since decoding and encoding each of them in the relay would cost time. */
function messageColumns(from: string): string {
  return `
  s.position, s.message_id, s.recipient, s.carried, s.size,
  case when s.carried and not :attached::boolean then encode(s.ciphertext, 'base64') end as ciphertext,
  case when :attached::boolean and row_number() over (order by s.position) = 1
       then (select string_agg(a.ciphertext, ''::bytea order by a.position) from ${from} as a where a.carried) end as ciphertexts,
  s.sender_signature, s.sent_at, s.system_event, encode(s.dedup_tag, 'hex') as dedup_tag`;
}

/**
 * Stores the transaction `c` if the lease is not lost. Its rows are the first ones up to `last`: looking for each row in the
 * array of positions, and carrying that array in each, took most of the statement's time.
 */
const storing = (condition: string): string => `
  begun as (
    insert into outbox_transactions (domain, id, at, positions)
    select :domain::text, :transactionId::uuid, :now::bigint, c.positions
    from chosen as c
    where ${condition} and ${leased}
    returning 1
  ),
  sent as materialized (
    select s.*, c.bytes, c.more
    from begun, chosen as c
    left join sized as s on c.bytes <= :room::bigint and s.position <= c.last
  )`;

/** Whether the run still has the lease. */
const leased = `
  exists (select from outbox_destinations as d where d.domain = :domain::text and d.lease_id = :leaseId::uuid)`;

/** Stores a transaction of the first rows that may be sent, and reads them. Undefined if there are none, or the lease is lost. */
export async function beginTransaction(db: Db | Pipeline, choice: Choice): Promise<Chosen | undefined> {
  const now = Math.floor(choice.nowMillis / 1000);
  const found = await rows<DepartingMessage & { bytes: number; positions: number[] | null; more: boolean }>(
    db,
    `with ${picking},
     ${storing("true")}
     select s.bytes, case when s.position is null then (select positions from chosen) end as positions, s.more,
            ${messageColumns("sent")}
     from sent as s
     order by s.position`,
    { ...choice, now },
  );
  const [first] = found;
  if (first === undefined) return undefined;
  const { bytes, positions, more } = first;
  const identity = { id: choice.transactionId, at: now, bytes, more };
  if (positions !== null) return { ...identity, positions, messages: undefined };
  return { ...identity, positions: found.map(({ position }) => position), messages: found };
}

/** A full transaction with its messages. */
export interface Begun extends StoredTransaction {
  bytes: number;
  messages: readonly DepartingMessage[];
}

/**
 * Stores the transaction behind those in flight if it has `limit` messages, and reads them. Undefined if there are fewer,
 * since more may arrive before it can be sent, if there is no room for it, or if the lease is lost.
 */
export async function beginNext(db: Db | Pipeline, choice: Choice): Promise<Begun | undefined> {
  const now = Math.floor(choice.nowMillis / 1000);
  const found = await rows<DepartingMessage & { bytes: number }>(
    db,
    `with ${picking},
     ${storing("c.bytes <= :room::bigint and cardinality(c.positions) = :limit::integer")}
     select s.bytes, ${messageColumns("sent")}
     from sent as s
     order by s.position`,
    { ...choice, now },
  );
  return begunOf(found, { id: choice.transactionId, at: now });
}

function begunOf(
  messages: readonly (DepartingMessage & { bytes: number })[],
  identity: Pick<StoredTransaction, "id" | "at">,
): Begun | undefined {
  const [first] = messages;
  if (first === undefined) return undefined;
  return { ...identity, bytes: first.bytes, positions: messages.map(({ position }) => position), messages };
}

/** Rows of one destination by their positions, and how they are sent. */
export interface WaitingRows extends DeliveryForm {
  domain: string;
  positions: readonly number[];
  now: number;
}

const waiting = `(
  select *, coalesce(shared_position, position) as sharing
  from outbox
  where domain = :domain::text and position = any(:positions::bigint[]) and expires_at + 0 > :now::bigint
) as w`;

/** Reads rows of one destination by their positions, without expired ones. */
export async function readWaiting(db: Db | Pipeline, from: WaitingRows): Promise<DepartingMessage[]> {
  return rows(
    db,
    `with sent as materialized (${withSizes(waiting)})
     select ${messageColumns("sent")}
     from sent as s
     order by s.position`,
    { ...from },
  );
}

/** The number of rows at these positions and the sum of their bytes, without expired ones. */
export async function measureWaiting(db: Db | Pipeline, from: WaitingRows): Promise<{ count: number; bytes: number }> {
  const [row] = await rows<{ count: number; bytes: number }>(
    db,
    `select count(*) as count, coalesce(sum(size), 0) as bytes
     from (${withSizes(waiting)}) as s`,
    { ...from },
  );
  return row ?? { count: 0, bytes: 0 };
}

/** The result of an answered transaction. */
export interface Settlement extends Lease {
  transactionId: string;
  leaseSeconds: number;
  /** Rows that were delivered or refused for good. */
  positions: readonly number[];
  now: number;
  failures: number;
  /** Most messages of the next transaction. Null for the usual number. */
  transactionLimit: number | null;
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
  messages = o.messages - r.messages, bytes = o.bytes - r.bytes, transaction_limit = :transactionLimit::integer,
  reached_at = :now::bigint, failures = :failures::integer, failed_at = null, problem = null,
  lease_until = case when o.lease_id = :leaseId::uuid
                     then clock_timestamp() + make_interval(secs => :leaseSeconds::integer) else o.lease_until end`;

/**
 * Ends an answered transaction and deletes the rows that are done. Returns the positions that were still there. If two
 * statements delete the same row, only one of them gets it, so each row is counted once. The rows are deleted even if the lease
 * is lost, since the peer has accepted the messages; the transaction itself then stays stored for the new holder.
 */
export async function settleTransaction(db: Db | Pipeline, settled: Settlement): Promise<number[]> {
  const [row] = await rows<{ positions: number[] }>(
    db,
    `${asynchronousCommit}, ${removing},
     ended as (
       delete from outbox_transactions
       where domain = :domain::text and id = :transactionId::uuid and ${leased}
     )
     update outbox_destinations as o
     set ${settling}
     from removed as r, asynchronous_commit
     where o.domain = :domain::text
     returning r.positions`,
    { ...settled },
  );
  return row?.positions ?? [];
}

/** Forgets a stored transaction. */
export async function forgetTransaction(
  db: Db | Pipeline,
  { domain, leaseId, transactionId }: Lease & { transactionId: string },
): Promise<void> {
  await rows(
    db,
    `delete from outbox_transactions
     where domain = :domain::text and id = :transactionId::uuid and ${leased}`,
    { domain, leaseId, transactionId },
  );
}

/** Forgets the stored transactions. The next one has another id and at most `limit` messages. */
export async function abandonTransactions(
  db: Db,
  { domain, leaseId, limit }: Lease & { limit: number | null },
): Promise<void> {
  await rows(
    db,
    `with abandoned as (
       update outbox_destinations
       set transaction_limit = :limit::integer
       where domain = :domain::text and lease_id = :leaseId::uuid
       returning domain
     )
     delete from outbox_transactions as t
     using abandoned as a
     where t.domain = a.domain`,
    { domain, leaseId, limit },
  );
}
