import type { Db } from "../../database/db.js";
import type { DeliveryState } from "../model/types.js";

// The columns of a queue's row in `queues` that name the device's open stream.

/** A stream of a device, on a node. */
export interface StreamLocation {
  deviceId: string;
  node: string;
  streamId: string;
}

/** A queue's row as read by a new stream. */
export interface AttachableQueue {
  last_position: number;
  delivery_cursor: number;
  stream_node: string | null;
  stream_id: string | null;
}

/** Reads a queue's row and locks it until the end of the transaction; undefined if there is none. */
export async function lockQueue(trx: Db, deviceId: string): Promise<AttachableQueue | undefined> {
  const row = await trx.one<AttachableQueue>(
    `select last_position, delivery_cursor, stream_node, stream_id
     from queues
     where device_id = :deviceId::text
     for update`,
    { deviceId },
  );
  return row;
}

/** Records a stream as the device's current one. */
export async function recordStream(trx: Db, stream: StreamLocation): Promise<void> {
  await trx.run(
    `update queues
     set stream_node = :node::text, stream_id = :streamId::text
     where device_id = :deviceId::text`,
    { ...stream },
  );
}

/** Clears streams that are still their devices' current ones. `streams` are ordered by device id. */
export async function detachStreams(
  trx: Db,
  streams: readonly { deviceId: string; streamId: string }[],
): Promise<void> {
  await trx.run(
    `update queues as q
     set stream_node = null, stream_id = null
     from unnest(:deviceIds::text[], :streamIds::text[]) as d (device_id, stream_id)
     where q.device_id = d.device_id and q.stream_id = d.stream_id`,
    { deviceIds: streams.map(({ deviceId }) => deviceId), streamIds: streams.map(({ streamId }) => streamId) },
  );
}

/** The last position of each queue, and the device's current stream. */
export async function readHeads(
  db: Db,
  deviceIds: readonly string[],
): Promise<Map<string, { head: number; streamId: string | null }>> {
  const found = await db.rows<{ device_id: string; last_position: number; stream_id: string | null }>(
    "select device_id, last_position, stream_id from queues where device_id = any(:deviceIds::text[])",
    { deviceIds },
  );
  return new Map(found.map((row) => [row.device_id, { head: row.last_position, streamId: row.stream_id }]));
}

/** How far a queue has been delivered, and the node that has the device's stream. */
interface DeliveryRow extends Omit<DeliveryState, "hasStream" | "hasUnread"> {
  deviceId: string;
  streamNode: string | null;
}

/** Read without a lock, so the answer may be a moment old. */
export async function readDeliveryRows(db: Db, deviceIds: readonly string[]): Promise<DeliveryRow[]> {
  return db.rows<DeliveryRow>(
    `select device_id as "deviceId", last_position as head, delivery_cursor as cursor,
            last_received_at as "lastReceivedAt", stream_node as "streamNode"
     from queues where device_id = any(:deviceIds::text[])`,
    { deviceIds },
  );
}

/** The devices that have unexpired messages after the cursor. */
export async function findUnread(
  db: Db,
  { deviceIds, now }: { deviceIds: readonly string[]; now: number },
): Promise<Set<string>> {
  const found = await db.rows<{ device_id: string }>(
    `select q.device_id from queues as q
     where q.device_id = any(:deviceIds::text[]) and q.queued_messages > 0 and exists (
       select 1 from messages as m
       where m.device_id = q.device_id and m.position > q.delivery_cursor and m.expires_at + 0 > :now::bigint
     )`,
    { deviceIds, now },
  );
  return new Set(found.map((row) => row.device_id));
}

/** The node with the stream of each device that has one. */
export async function readStreamNodes(db: Db, deviceIds: readonly string[]): Promise<Map<string, string>> {
  const found = await db.rows<{ device_id: string; stream_node: string }>(
    `select device_id, stream_node from queues
     where device_id = any(:deviceIds::text[]) and stream_node is not null`,
    { deviceIds },
  );
  return new Map(found.map((row) => [row.device_id, row.stream_node]));
}
