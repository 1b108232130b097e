import { asynchronousCommit } from "../../database/asynchronous-commit.js";
import type { Db, Executor } from "../../database/db.js";
import type { Lease } from "./lease-store.js";
import type { DeliveryForm, StoredTransaction } from "./stored-transaction.js";

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
  /** Unix seconds; null unless the sender chose it. */
  expires_at: number | null;
  /** Hexadecimal. */
  dedup_tag: string;
}

/** The parts of the form that decide what is read of messages, and how many bytes they are. */
type ReadForm = Pick<DeliveryForm, "shares" | "attached">;

/** The limits of a transaction. */
interface Bounds extends ReadForm {
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
  form: DeliveryForm;
}

interface Chosen extends StoredTransaction {
  bytes: number;
  /** Undefined if they did not fit into `room`. */
  messages: readonly DepartingMessage[] | undefined;
  /** Whether there are further rows. */
  more: boolean;
  /** Whether it has as many messages or bytes as it may have, as far as no row of a busy recipient ended it. */
  full: boolean;
}

/**
 * The first rows that may be sent. They end before the row that would bring their ciphertexts over `bytes`, but one row is
 * always included. Recipients on hold are skipped, so one full queue stops no other recipient, and the order for each
 * recipient is kept: holds count as of the beginning of a pass over the queue, so that one that ends meanwhile lets no later
 * row of a recipient overtake an earlier one. A hold of a delayed transaction lasts as long as that is stored. The steps that are read more than once are materialized, because a cached plan would
 * otherwise repeat the last one for every row; the others are not, since each copy of the ciphertexts takes as long as the read.
 * `expires_at + 0`, here and below, forces the planner to use the primary key, even just after a large outbox was emptied.
 */
const picking = `
  queue as not materialized (
    select o.position, o.message_id, o.recipient, o.ciphertext, o.sender_signature, o.sent_at, o.system_event,
           o.dedup_tag, o.expires_at, o.has_lifetime, coalesce(o.shared_position, o.position) as sharing
    from outbox as o
    where o.domain = :domain::text and o.position > :after::bigint and o.expires_at + 0 > :now::bigint
      and not exists (
        select from outbox_holds as h
        where h.domain = o.domain and h.recipient = o.recipient
          and (
            h.until_millis > :heldAfter::bigint
            or exists (select from outbox_transactions as t where t.domain = h.domain and t.id = h.transaction_id)
          )
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
           count(*) < (select count(*) from sized) or count(*) = :limit::integer as more,
           count(*) = :limit::integer or (select sum(size) from sized) > :bytes::bigint as full_size,
           bool_and(carried) as apart
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
  case when :attached::boolean and row_number() over (partition by s.part order by s.position) = 1
       then (select string_agg(a.ciphertext, ''::bytea order by a.position)
             from ${from} as a where a.carried and a.part = s.part) end as ciphertexts,
  s.sender_signature, s.sent_at, s.system_event, case when s.has_lifetime then s.expires_at end as expires_at,
  encode(s.dedup_tag, 'hex') as dedup_tag`;
}

/** Whether the run still has the lease. */
const leased = `
  exists (select from outbox_destinations as d where d.domain = :domain::text and d.lease_id = :leaseId::uuid)`;

/**
 * Stores a transaction of the first rows that may be sent, and reads them. Undefined if there are none, or the lease is lost. Its
 * rows are the first ones up to `last`: to look for each row in the array of positions, and to carry that array in each, took most
 * of the statement's time.
 */
export async function beginTransaction(db: Executor, choice: Choice): Promise<Chosen | undefined> {
  const now = Math.floor(choice.nowMillis / 1000);
  const found = await db.rows<
    DepartingMessage & Pick<Chosen, "bytes" | "more" | "full"> & { positions: number[] | null }
  >(
    `with ${picking},
     begun as (
       insert into outbox_transactions (domain, id, created_at, positions, form)
       select :domain::text, :transactionId::uuid, :now::bigint, c.positions, :formText::jsonb
       from chosen as c
       where ${leased}
       returning 1
     ),
     sent as not materialized (
       select s.*, c.bytes, c.more, c.full_size, 0 as part
       from begun, chosen as c
       left join sized as s on c.bytes <= :room::bigint and s.position <= c.last
     )
     select s.bytes, case when s.position is null then (select positions from chosen) end as positions, s.more,
            s.full_size as full, ${messageColumns("sent")}
     from sent as s
     order by s.position`,
    { ...choice, now, formText: JSON.stringify(choice.form) },
  );
  const [first] = found;
  if (first === undefined) return undefined;
  const { bytes, positions, more, full } = first;
  const { transactionId: id, form } = choice;
  const identity = { id, at: now, form, delayed: null, bytes, more, full };
  if (positions !== null) return { ...identity, positions, messages: undefined };
  return { ...identity, positions: found.map(({ position }) => position), messages: found };
}

/** A full transaction with its messages. */
interface Begun extends StoredTransaction {
  bytes: number;
  messages: readonly DepartingMessage[];
}

/** New transactions: one, or one for each id with recipients of its own. */
interface NextChoice extends Bounds, Lease {
  transactionIds: readonly string[];
  form: DeliveryForm;
}

/**
 * Stores the transactions behind those in flight if there are as many messages or bytes as a transaction may have, and reads
 * them. None if there are fewer, since more may arrive before they can be sent, if there is no room for them, or if the lease is
 * lost. Where two ids are given, recipients are divided between two transactions, which can then be in flight together; unless
 * messages share a ciphertext, which is sent once in one transaction.
 */
export async function beginNext(db: Executor, choice: NextChoice): Promise<Begun[]> {
  const now = Math.floor(choice.nowMillis / 1000);
  const found = await db.rows<DepartingMessage & { part: number }>(
    `with ${picking},
     begun as (
       insert into outbox_transactions (domain, id, created_at, positions, form)
       select :domain::text, (:transactionIds::uuid[])[part + 1], :now::bigint, array_agg(position order by position),
              :formText::jsonb
       from ${nextRows} as r
       where ${leased}
       group by part
       returning 1
     ),
     sent as not materialized (select * from ${nextRows} as r where exists (select from begun))
     select s.part, ${messageColumns("sent")}
     from sent as s
     order by s.part, s.position`,
    { ...choice, now, formText: JSON.stringify(choice.form) },
  );
  return choice.transactionIds.flatMap((id, part) => {
    const messages = found.filter((message) => message.part === part);
    if (messages.length === 0) return [];
    const bytes = messages.reduce((sum, { size }) => sum + size, 0);
    const positions = messages.map(({ position }) => position);
    return [{ id, at: now, form: choice.form, delayed: null, bytes, positions, messages }];
  });
}

const nextRows = `(
  select s.*, case when c.apart and cardinality(:transactionIds::uuid[]) > 1 then uuid_hash(s.recipient) & 1 else 0 end as part
  from chosen as c
  join sized as s on s.position <= c.last
  where c.full_size and c.bytes <= :room::bigint
)`;

/** Rows of one destination by their positions, as they are sent under a lease: without it there are none. */
interface WaitingRows extends ReadForm, Lease {
  positions: readonly number[];
  now: number;
}

const waitingRows = `
  from outbox
  where domain = :domain::text and position = any(:positions::bigint[]) and expires_at + 0 > :now::bigint and ${leased}`;

const waiting = `(select *, coalesce(shared_position, position) as sharing, 0 as part ${waitingRows}) as w`;

/** Reads rows of one destination by their positions, without expired ones. */
export async function readWaiting(db: Executor, from: WaitingRows): Promise<DepartingMessage[]> {
  return db.rows(
    `with sent as materialized (${withSizes(waiting)})
     select ${messageColumns("sent")}
     from sent as s
     order by s.position`,
    { ...from },
  );
}

/** The number of rows at these positions, without expired ones. */
export async function countWaiting(
  db: Executor,
  { domain, leaseId, positions, now }: Omit<WaitingRows, keyof ReadForm>,
): Promise<number> {
  const row = await db.one<{ count: number }>(`select count(*) as count ${waitingRows}`, {
    ...{ domain, leaseId, positions, now },
  });
  return row?.count ?? 0;
}

/** The number of rows at these positions and the sum of their bytes, without expired ones. */
export async function measureWaiting(db: Executor, from: WaitingRows): Promise<{ count: number; bytes: number }> {
  const row = await db.one<{ count: number; bytes: number }>(
    `select count(*) as count, coalesce(sum(size), 0) as bytes
     from (${withSizes(waiting)}) as s`,
    { ...from },
  );
  return row ?? { count: 0, bytes: 0 };
}

/** The result of an answered transaction. */
interface Settlement extends Lease {
  transactionId: string;
  leaseSeconds: number;
  /** Rows that were delivered or refused for good. */
  done: readonly { position: number; messageId: string }[];
  now: number;
  failures: number;
  /** Most messages of the next transaction. Null for the usual number. */
  transactionLimit: number | null;
}

const removing = `
  gone as (
    delete from outbox
    using unnest(:positions::bigint[], :messageIds::uuid[]) as d (position, message_id)
    where outbox.domain = :domain::text and outbox.position = d.position and outbox.message_id = d.message_id
    returning outbox.position, octet_length(outbox.ciphertext) as bytes
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
 * is lost, since the peer has accepted the messages; the transaction itself then stays stored for the new holder. The ids must fit: on
 * a standby that lacked the last messages, other ones may have the positions.
 */
export async function settleTransaction(db: Executor, { done, ...settled }: Settlement): Promise<number[]> {
  const row = await db.one<{ positions: number[] }>(
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
    {
      ...settled,
      positions: done.map(({ position }) => position),
      messageIds: done.map(({ messageId }) => messageId),
    },
  );
  return row?.positions ?? [];
}

/** Forgets some of the stored transactions. */
export async function forgetTransactions(
  db: Executor,
  { domain, leaseId, transactionIds }: Lease & { transactionIds: readonly string[] },
): Promise<void> {
  await db.run(
    `delete from outbox_transactions
     where domain = :domain::text and id = any(:transactionIds::uuid[]) and ${leased}`,
    { domain, leaseId, transactionIds },
  );
}

/** Forgets the stored transactions, apart from delayed ones. The next one has another id and at most `limit` messages. */
export async function abandonTransactions(
  db: Db,
  { domain, leaseId, limit }: Lease & { limit: number | null },
): Promise<void> {
  await db.run(
    `with abandoned as (
       update outbox_destinations
       set transaction_limit = :limit::integer
       where domain = :domain::text and lease_id = :leaseId::uuid
       returning domain
     )
     delete from outbox_transactions as t
     using abandoned as a
     where t.domain = a.domain and t.due_millis is null`,
    { domain, leaseId, limit },
  );
}
