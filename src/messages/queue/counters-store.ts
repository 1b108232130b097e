import type { Db, Executor } from "../../database/db.js";
import { registeredIds } from "../model/read-model.js";

// The row of a device's queue in `queues`: its last position, what it holds, and how far it has been delivered.
// Statements for several devices process them in the order of their ids.

/** The row of a queue, as far as ingest needs it. */
export interface QueueState {
  device_id: string;
  last_position: number;
  last_received_at: number;
  queued_messages: number;
  queued_bytes: number;
  stream_node: string | null;
}

const stateColumns: readonly (keyof QueueState)[] = [
  "device_id",
  "last_position",
  "last_received_at",
  "queued_messages",
  "queued_bytes",
  "stream_node",
];

/** Messages and bytes added to one queue, or taken back from it. */
export interface QueueDelta {
  deviceId: string;
  messages: number;
  bytes: number;
}

/** Creates the queues of registered devices that have none. */
export async function createQueues(db: Db, deviceIds: readonly string[]): Promise<void> {
  await db.run(
    `insert into queues (device_id)
     ${registeredIds}
     on conflict (device_id) do nothing`,
    { deviceIds },
  );
}

/**
 * Adds to the queues under row locks and returns what they then hold. The positions up to `last_position` belong to
 * this caller.
 */
export async function addToQueues(
  trx: Executor,
  { additions, now }: { additions: readonly QueueDelta[]; now: number },
): Promise<QueueState[]> {
  return trx.rows<QueueState>(
    `update queues as q
     set messages_received = q.messages_received + d.arrivals,
         last_position = q.last_position + d.arrivals,
         last_received_at = greatest(q.last_received_at, :now::bigint),
         queued_messages = q.queued_messages + d.arrivals,
         queued_bytes = q.queued_bytes + d.bytes
     from unnest(:deviceIds::text[], :arrivals::integer[], :bytes::bigint[]) as d (device_id, arrivals, bytes)
     where q.device_id = d.device_id
     ${trx.placement.onlyShardsOf("q.device_id", ":deviceIds::text[]")}
     returning ${stateColumns.map((name) => `q.${name}`).join(", ")}`,
    {
      now,
      deviceIds: additions.map((addition) => addition.deviceId),
      arrivals: additions.map((addition) => addition.messages),
      bytes: additions.map((addition) => addition.bytes),
    },
  );
}

/** Takes back what was added for messages that were refused after all. Positions are not reused. */
export async function refundQueues(trx: Executor, refunds: readonly QueueDelta[]): Promise<void> {
  await trx.run(
    `update queues as q
     set messages_received = q.messages_received - d.arrivals,
         queued_messages = q.queued_messages - d.arrivals,
         queued_bytes = q.queued_bytes - d.bytes
     from unnest(:deviceIds::text[], :arrivals::integer[], :bytes::bigint[]) as d (device_id, arrivals, bytes)
     where q.device_id = d.device_id
     ${trx.placement.onlyShardsOf("q.device_id", ":deviceIds::text[]")}`,
    {
      deviceIds: refunds.map((refund) => refund.deviceId),
      arrivals: refunds.map((refund) => refund.messages),
      bytes: refunds.map((refund) => refund.bytes),
    },
  );
}

/** The rows of the queues, read without a lock. */
export async function readQueues(db: Db, deviceIds: readonly string[]): Promise<QueueState[]> {
  return db.rows<QueueState>(
    `select ${stateColumns.join(", ")} from queues where device_id = any(:deviceIds::text[])`,
    { deviceIds },
  );
}

/** The messages removed from one queue. `delivered` moves the delivery cursor; 0 does not move it. */
export interface Removal extends QueueDelta {
  delivered: number;
}

/** Adjusts the counters of queues whose messages were deleted in the same transaction. */
export async function subtractFromQueues(trx: Executor, removals: readonly Removal[]): Promise<void> {
  await trx.run(
    `update queues as q
     set queued_messages = q.queued_messages - d.messages,
         queued_bytes = q.queued_bytes - d.bytes,
         delivery_cursor = greatest(q.delivery_cursor, least(d.delivered, q.last_position))
     from unnest(:deviceIds::text[], :messages::integer[], :bytes::bigint[], :delivered::bigint[])
       as d (device_id, messages, bytes, delivered)
     where q.device_id = d.device_id
     ${trx.placement.onlyShardsOf("q.device_id", ":deviceIds::text[]")}`,
    {
      deviceIds: removals.map((removal) => removal.deviceId),
      messages: removals.map((removal) => removal.messages),
      bytes: removals.map((removal) => removal.bytes),
      delivered: removals.map((removal) => removal.delivered),
    },
  );
}

/** A page or push whose messages lie between `first` and `last`. A page that skipped nothing has `first` 0. */
export interface DeliveredRange {
  deviceId: string;
  first: number;
  last: number;
}

/**
 * Moves delivery cursors to the last message delivered, unless a message after the cursor was skipped: the cursor is
 * the highest position up to which everything has been delivered. Positions behind the last one are of messages that a standby lacked.
 */
export async function advanceCursors(trx: Db, ranges: readonly DeliveredRange[]): Promise<void> {
  await trx.run(
    `update queues as q
     set delivery_cursor = least(d.last, q.last_position)
     from unnest(:deviceIds::text[], :firsts::bigint[], :lasts::bigint[]) as d (device_id, first, last)
     where q.device_id = d.device_id
     ${trx.placement.onlyShardsOf("q.device_id", ":deviceIds::text[]")}
       and q.delivery_cursor < d.last
       and not exists (
         select from messages as m
         where m.device_id = q.device_id and m.position > q.delivery_cursor and m.position < d.first
       )`,
    {
      deviceIds: ranges.map(({ deviceId }) => deviceId),
      firsts: ranges.map(({ first }) => first),
      lasts: ranges.map(({ last }) => last),
    },
  );
}

/** Number of messages in a queue, including expired ones that have not been removed. */
export async function countQueued(db: Executor, deviceId: string): Promise<number> {
  const row = await db.one<{ queued_messages: number }>(
    "select queued_messages from queues where device_id = :deviceId::text",
    { deviceId },
  );
  return row?.queued_messages ?? 0;
}

/** PostgreSQL stores a large value separately, in rows of about this size. */
const bytesPerRow = 2000;

/** The approximate number of rows of each of these queues, including the rows that hold parts of large ciphertexts. */
export async function countRows(db: Db, deviceIds: readonly string[]): Promise<Map<string, number>> {
  const found = await db.rows<{ device_id: string; rows: number }>(
    `select device_id, queued_messages + queued_bytes / :bytesPerRow::integer as rows
     from queues where device_id = any(:deviceIds::text[])`,
    { deviceIds, bytesPerRow },
  );
  return new Map(found.map((row) => [row.device_id, row.rows]));
}

/**
 * Removes queues with their messages. The queue's row goes first: the statement waits for a flush that holds the row,
 * so the second statement sees that flush's messages. A later flush finds no row.
 */
export async function deleteQueues(trx: Db, deviceIds: readonly string[]): Promise<void> {
  await trx.run("delete from queues where device_id = any(:deviceIds::text[])", { deviceIds });
  await trx.run("delete from messages where device_id = any(:deviceIds::text[])", { deviceIds });
}
