import { asynchronousCommit } from "../../platform/database/asynchronous-commit.js";
import { type Db, type Pipeline, rows } from "../../platform/database/connection.js";
import { forgetting, type Lease, type StoredTransaction } from "./lease-store.js";

// The statements that begin and end transactions.

/** A message as it is sent to its destination. */
export interface DepartingMessage {
  position: number;
  message_id: string;
  recipient: string;
  /** Base64, in lines as in MIME; null if it is that of the message before. */
  ciphertext: string | null;
  sender_signature: string;
  sent_at: number;
  system_event: { event: string; extensionType: string | null } | null;
  /** Hexadecimal. */
  dedup_tag: string;
}

/** The limits of a transaction. */
export interface Bounds {
  domain: string;
  nowMillis: number;
  /** Rows up to this position are skipped. */
  after: number;
  limit: number;
  bytes: number;
  /** The messages are read as well if their bytes do not exceed this. Otherwise only their positions are read. */
  room: number;
  /** Whether messages that share a ciphertext are sent with one copy of it. The bytes are counted accordingly. */
  shares: boolean;
}

/** A new transaction: its id, its lease and its limits. */
export interface Choice extends Bounds, Lease {
  transactionId: string;
  leaseSeconds: number;
}

export interface Chosen extends StoredTransaction {
  bytes: number;
  /** Undefined if they did not fit into `room`. */
  messages: readonly DepartingMessage[] | undefined;
}

/**
 * The first rows that may be sent. They end before the row that would bring their ciphertexts over `bytes`, but one row is
 * always included. Recipients on hold are skipped, so one full queue stops no other recipient, and the order for each
 * recipient is kept. The steps are materialized, because a cached plan would otherwise repeat the last one for every row.
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
        where h.domain = o.domain and h.recipient = o.recipient and h.until_millis > :nowMillis::bigint
      )
    order by o.position
    limit :limit::integer
  ),
  sized as materialized (
    select *, row_number() over (order by position) as number, sum(size) over (order by position) as sum
    from (${withSizes("queue")}) as q
  ),
  chosen as materialized (
    select array_agg(position order by position) as positions, sum(size) as bytes
    from sized
    where number = 1 or sum <= :bytes::bigint
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

/** Whether the transaction `c` has the full number of messages and fits into `room`. */
const isFull = "c.bytes <= :room::bigint and cardinality(c.positions) = :limit::integer";

/** The columns come encoded as they are sent, since decoding and encoding each of them in the relay would cost time. */
const messageColumns = `
  s.position, s.message_id, s.recipient, case when s.carried then encode(s.ciphertext, 'base64') end as ciphertext,
  s.sender_signature, s.sent_at, s.system_event, encode(s.dedup_tag, 'hex') as dedup_tag`;

/**
 * Stores a transaction of the first rows that may be sent, and reads them. The transactions that were stored before are
 * forgotten. Undefined if there is nothing to send or the lease is lost.
 */
export async function beginTransaction(db: Db | Pipeline, choice: Choice): Promise<Chosen | undefined> {
  const now = Math.floor(choice.nowMillis / 1000);
  const found = await rows<DepartingMessage & { bytes: number; positions: number[] | null }>(
    db,
    `with ${picking},
     begun as (
       update outbox_destinations as d
       set transaction_id = :transactionId::uuid, transaction_at = :now::bigint, transaction_positions = c.positions,
           next_transaction_id = null, next_transaction_at = null, next_transaction_positions = null,
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

/** A full transaction with its messages. */
export interface Begun extends StoredTransaction {
  bytes: number;
  messages: readonly DepartingMessage[];
}

/**
 * Stores the transaction behind the one in flight if it has `limit` messages, and reads them. Undefined if there are fewer,
 * since more may arrive before it is needed, if there is no room for it, or if the lease is lost.
 */
export async function beginNext(db: Db | Pipeline, choice: Choice): Promise<Begun | undefined> {
  const now = Math.floor(choice.nowMillis / 1000);
  const found = await rows<DepartingMessage & { bytes: number }>(
    db,
    `with ${picking},
     begun as (
       update outbox_destinations as d
       set next_transaction_id = :transactionId::uuid, next_transaction_at = :now::bigint,
           next_transaction_positions = c.positions,
           lease_until = clock_timestamp() + make_interval(secs => :leaseSeconds::integer)
       from chosen as c
       where d.domain = :domain::text and d.lease_id = :leaseId::uuid and ${isFull}
       returning c.bytes
     )
     select b.bytes, ${messageColumns}
     from begun as b
     join sized as s on s.number = 1 or s.sum <= :bytes::bigint
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
export interface WaitingRows {
  domain: string;
  positions: readonly number[];
  now: number;
  shares: boolean;
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
    `select ${messageColumns}
     from (${withSizes(waiting)}) as s
     order by position`,
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
  reached_at = :now::bigint, failures = :failures::integer, failed_at = null, problem = null`;

/** The columns of stored transactions stay as they are if another node has the lease by now. */
const columns = (value: (part: string) => { first: string; next: string }): string =>
  ["id", "at", "positions"]
    .map((part) => {
      const { first, next } = value(part);
      return `
  transaction_${part} = case when o.lease_id = :leaseId::uuid then ${first} else o.transaction_${part} end,
  next_transaction_${part} = case when o.lease_id = :leaseId::uuid then ${next} else o.next_transaction_${part} end`;
    })
    .join(",");

const ending = columns(() => ({ first: "null", next: "null" }));

/**
 * Ends an answered transaction, forgets the next one, and deletes the rows that are done. Returns the positions that were
 * still there. If two statements delete the same row, only one of them gets it, so each row is counted once. The rows are
 * deleted even if the lease is lost, since the peer has accepted the messages.
 */
export async function settleTransaction(db: Db | Pipeline, settled: Settlement): Promise<number[]> {
  const [row] = await rows<{ positions: number[] }>(
    db,
    `${asynchronousCommit}, ${removing}
     update outbox_destinations as o
     set ${settling}, ${ending}
     from removed as r, asynchronous_commit
     where o.domain = :domain::text
     returning r.positions`,
    { ...settled },
  );
  return row?.positions ?? [];
}

const chosenColumns: Record<string, string> = {
  id: ":transactionId::uuid",
  at: ":now::bigint",
  positions: "c.positions",
};
const advancing = columns((part) => ({
  first: `o.next_transaction_${part}`,
  next: `case when c.positions is not null then ${chosenColumns[part]} end`,
}));

/**
 * Ends an answered transaction while the next one is already in flight. The next one becomes the current one, and the one
 * behind it is stored in the same statement, as by `beginNext`.
 */
export async function settleAndAdvance(
  db: Db | Pipeline,
  { settled, choice }: { settled: Settlement; choice: Choice },
): Promise<{ gone: number[]; begun: Begun | undefined }> {
  const found = await rows<DepartingMessage & { bytes: number; gone: number[] | null }>(
    db,
    `with ${removing},
     ${picking},
     advanced as (
       update outbox_destinations as o
       set ${settling}, ${advancing},
           lease_until = case when o.lease_id = :leaseId::uuid
                              then clock_timestamp() + make_interval(secs => :leaseSeconds::integer)
                              else o.lease_until end
       from removed as r
       left join chosen as c on ${isFull}
       where o.domain = :domain::text
       returning r.positions as gone, o.lease_id = :leaseId::uuid and c.positions is not null as begun, c.bytes
     )
     select a.bytes, case when s.number is null or s.number = 1 then a.gone end as gone, ${messageColumns}
     from advanced as a
     left join sized as s on a.begun and (s.number = 1 or s.sum <= :bytes::bigint)
     order by s.position`,
    { ...settled, ...choice },
  );
  const gone = found[0]?.gone ?? [];
  const messages = found.filter(({ position }) => position !== null);
  return { gone, begun: begunOf(messages, { id: choice.transactionId, at: settled.now }) };
}

/** Forgets the stored transactions. The next one has another id and at most `limit` messages. */
export async function abandonTransaction(
  db: Db,
  { domain, leaseId, limit }: Lease & { limit: number | null },
): Promise<void> {
  await rows(
    db,
    `update outbox_destinations
     set ${forgetting}, transaction_limit = :limit::integer
     where domain = :domain::text and lease_id = :leaseId::uuid`,
    { domain, leaseId, limit },
  );
}
