import { type Db, type Pipeline, rows } from "../../platform/database/connection.js";
import type { QueuedMessage, SystemEvent } from "../types.js";

interface MessageRow {
  position: number;
  message_id: string;
  ciphertext: Buffer;
  sender_signature: string;
  sent_at: number;
  received_at: number;
  system_event: SystemEvent | null;
}

// A queue is gone through by its key alone. `expires_at + 0` keeps the planner from the index that is there for the expiry:
// right after a vacuum of queues that are nearly empty it would look the cheaper one, and stay so as they fill again.

const messageColumns = "position, message_id, ciphertext, sender_signature, sent_at, received_at, system_event";

/** A stretch of a queue with what holds for the queue at the same moment. */
export interface Stretch {
  messages: QueuedMessage[];
  /** Whether more rows fitted the question than came back. */
  cut: boolean;
  head: number;
  delivered: number;
}

/**
 * The first messages behind a position, at most `limit`, with the queue's head as of the same snapshot. They end before
 * the one that would bring their ciphertexts over `bytes`, or with it where `overshoot` is 1; one message comes in any
 * case. Sizes are summed before any ciphertext is fetched. Undefined where there is no mailbox.
 */
export async function readStretch(
  db: Db,
  from: { deviceId: string; after: number; since: number; now: number; limit: number; bytes: number; overshoot: 0 | 1 },
): Promise<Stretch | undefined> {
  const found = await rows<MessageRow & { last_position: number; handed_out_position: number; found: number | null }>(
    db,
    `select b.last_position, b.handed_out_position, q.*
     from mailboxes as b
     left join lateral (
       select ${messageColumns}, found
       from (
         select c.*, count(*) over () as found, row_number() over (order by c.position) as number,
                sum(octet_length(c.ciphertext)) over (order by c.position) as bytes
         from (
           select ${messageColumns}
           from messages
           where device_id = :deviceId::text and position > :after::bigint
             and expires_at + 0 > :now::bigint and received_at >= :since::bigint
           order by position
           limit :limit::integer + 1
         ) as c
       ) as s
       where s.number = 1
          or (s.number <= :limit::integer
              and s.bytes - :overshoot::integer * octet_length(s.ciphertext) < :bytes::bigint + 1 - :overshoot::integer)
     ) as q on true
     where b.device_id = :deviceId::text
     order by q.position`,
    from,
  );
  const [first] = found;
  if (first === undefined) return undefined;
  const messages = found.filter((row) => row.found !== null).map(queuedMessage);
  const cut = (first.found ?? 0) > messages.length;
  return { messages, cut, head: first.last_position, delivered: first.handed_out_position };
}

function queuedMessage(row: MessageRow): QueuedMessage {
  return {
    position: row.position,
    messageId: row.message_id,
    ciphertext: row.ciphertext,
    senderSignature: row.sender_signature,
    timestamp: row.sent_at,
    receivedAt: row.received_at,
    systemEvent: row.system_event,
  };
}

/** One row of a queue. */
export interface Place {
  deviceId: string;
  position: number;
}

/**
 * The positions of all unexpired messages with these ids: of each queue first those that were handed out, then the
 * others, both in the queue's order.
 */
export async function findPlaces(
  db: Db | Pipeline,
  { wanted, now }: { wanted: readonly { deviceId: string; messageId: string }[]; now: number },
): Promise<(Place & { messageId: string })[]> {
  const found = await rows<{ device_id: string; message_id: string; position: number }>(
    db,
    `select m.device_id, m.message_id, m.position
     from unnest(:deviceIds::text[], :messageIds::uuid[]) as d (device_id, message_id)
     join messages as m on m.message_id = d.message_id and left(m.device_id, 8) = left(d.device_id, 8)
     join mailboxes as b on b.device_id = d.device_id
     where m.device_id = d.device_id and m.expires_at + 0 > :now::bigint
     order by m.device_id, (m.position <= b.handed_out_position or m.delivered_apart) desc, m.position`,
    {
      deviceIds: wanted.map(({ deviceId }) => deviceId),
      messageIds: wanted.map(({ messageId }) => messageId),
      now,
    },
  );
  return found.map((row) => ({ deviceId: row.device_id, messageId: row.message_id, position: row.position }));
}

/**
 * Marks messages that a page hands out although it skipped rows behind the cursor, as far as one that it skipped has the
 * same id: the cursor cannot tell these two apart.
 */
export async function markDelivered(
  db: Db,
  {
    deviceId,
    positions,
    messageIds,
    cursor,
  }: {
    deviceId: string;
    positions: readonly number[];
    messageIds: readonly string[];
    cursor: number;
  },
): Promise<void> {
  await rows(
    db,
    `update messages as m set delivered_apart = true
     where m.device_id = :deviceId::text and not m.delivered_apart
       and m.position in (
         select d.position
         from unnest(:positions::bigint[], :messageIds::uuid[]) as d (position, message_id)
         join messages as q on q.message_id = d.message_id and left(q.device_id, 8) = left(:deviceId::text, 8)
         where q.device_id = :deviceId::text and q.position > :cursor::bigint and q.position < d.position
           and not q.delivered_apart
       )`,
    { deviceId, positions, messageIds, cursor },
  );
}

/** Deletes rows by their keys, in the order given, and returns those that were there with their sizes. */
export async function deletePlaces(
  trx: Db | Pipeline,
  places: readonly Place[],
): Promise<(Place & { bytes: number })[]> {
  const deleted = await rows<{ device_id: string; position: number; bytes: number }>(
    trx,
    `delete from messages as m
     using unnest(:deviceIds::text[], :positions::bigint[]) as d (device_id, position)
     where m.device_id = d.device_id and m.position = d.position
     returning m.device_id, m.position, octet_length(m.ciphertext) as bytes`,
    { deviceIds: places.map(({ deviceId }) => deviceId), positions: places.map(({ position }) => position) },
  );
  return deleted.map((row) => ({ deviceId: row.device_id, position: row.position, bytes: row.bytes }));
}

/** What was removed from one queue; `delivered` moves its cursor, 0 leaves it. */
export interface Removal {
  deviceId: string;
  messages: number;
  bytes: number;
  delivered: number;
}

/** Adjusts the counters of queues whose rows were deleted in the same transaction. In the order of their ids. */
export async function subtractFromQueues(trx: Db | Pipeline, removals: readonly Removal[]): Promise<void> {
  await rows(
    trx,
    `update mailboxes as m
     set queued_messages = m.queued_messages - d.messages,
         queued_bytes = m.queued_bytes - d.bytes,
         handed_out_position = greatest(m.handed_out_position, d.handed_out)
     from unnest(:deviceIds::text[], :messages::integer[], :bytes::bigint[], :delivered::bigint[])
       as d (device_id, messages, bytes, handed_out)
     where m.device_id = d.device_id`,
    {
      deviceIds: removals.map((removal) => removal.deviceId),
      messages: removals.map((removal) => removal.messages),
      bytes: removals.map((removal) => removal.bytes),
      delivered: removals.map((removal) => removal.delivered),
    },
  );
}

/** A page or push whose rows lie between `first` and `last`; a page that skipped nothing has `first` 0. */
export interface HandOut {
  deviceId: string;
  first: number;
  last: number;
}

/**
 * Moves cursors to the last row handed out, unless a row behind the cursor was skipped: the cursor is the highest
 * position up to which everything has been handed out. In the order of their ids.
 */
export async function advanceCursors(trx: Db, handOuts: readonly HandOut[]): Promise<void> {
  await rows(
    trx,
    `update mailboxes as m
     set handed_out_position = d.last
     from unnest(:deviceIds::text[], :firsts::bigint[], :lasts::bigint[]) as d (device_id, first, last)
     where m.device_id = d.device_id
       and m.handed_out_position < d.last
       and not exists (
         select from messages as q
         where q.device_id = m.device_id and q.position > m.handed_out_position and q.position < d.first
       )`,
    {
      deviceIds: handOuts.map(({ deviceId }) => deviceId),
      firsts: handOuts.map(({ first }) => first),
      lasts: handOuts.map(({ last }) => last),
    },
  );
}

/** Rows whose time is over, the longest first. */
export async function findExpired(db: Db, { now, limit }: { now: number; limit: number }): Promise<Place[]> {
  const found = await rows<{ device_id: string; position: number }>(
    db,
    `select device_id, position
     from messages
     where expires_at <= :now::bigint
     order by expires_at
     limit :limit::integer`,
    { now, limit },
  );
  return found.map((row) => ({ deviceId: row.device_id, position: row.position }));
}

/** Deletes hashes that were kept for long enough, some at a time; returns how many. */
export async function deleteExpiredKeys(db: Db, { today, limit }: { today: number; limit: number }): Promise<number> {
  const deleted = await rows(
    db,
    `delete from deduplication
     where key = any(array(
       select key from deduplication where expires_on < :today::integer order by expires_on limit :limit::integer
     ))
     returning 1`,
    { today, limit },
  );
  return deleted.length;
}

/** Number of messages in a queue, expired ones that were not removed yet included. */
export async function readBacklog(db: Db, deviceId: string): Promise<number> {
  const [row] = await rows<{ queued_messages: number }>(
    db,
    "select queued_messages from mailboxes where device_id = :deviceId::text",
    { deviceId },
  );
  return row?.queued_messages ?? 0;
}

/** About how many rows, those that hold large ciphertexts apart included, each of these queues takes up. */
export async function countRows(db: Db, deviceIds: readonly string[]): Promise<Map<string, number>> {
  const found = await rows<{ device_id: string; rows: number }>(
    db,
    `select device_id, queued_messages + queued_bytes / :bytesPerRow::integer as rows
     from mailboxes where device_id = any(:deviceIds::text[])`,
    { deviceIds, bytesPerRow },
  );
  return new Map(found.map((row) => [row.device_id, row.rows]));
}

/** What PostgreSQL keeps apart of a large value goes into rows of about this size. */
const bytesPerRow = 2000;

/**
 * Removes mailboxes and their queues. The mailbox goes first: an intake that holds its row is waited for and its
 * messages are seen by the second statement; a later one finds no mailbox.
 */
export async function deleteMailboxes(trx: Db, deviceIds: readonly string[]): Promise<void> {
  await rows(trx, "delete from mailboxes where device_id = any(:deviceIds::text[])", { deviceIds });
  await rows(trx, "delete from messages where device_id = any(:deviceIds::text[])", { deviceIds });
}
