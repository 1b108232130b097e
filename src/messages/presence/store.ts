import { type Db, rows } from "../../platform/database/connection.js";

/** A stream of a device, on a node. */
export interface Presence {
  deviceId: string;
  node: string;
  streamId: string;
}

/** A mailbox as a stream finds it that takes it over. */
export interface Attachable {
  last_position: number;
  handed_out_position: number;
  stream_node: string | null;
  stream_id: string | null;
  /** When the minute began in which replacements are counted, and how many there were. */
  replaced_since: number;
  replaced_count: number;
}

/** Reads a mailbox and holds it until the end of the transaction; undefined where there is none. */
export async function lockMailbox(trx: Db, deviceId: string): Promise<Attachable | undefined> {
  const [row] = await rows<Attachable>(
    trx,
    `select last_position, handed_out_position, stream_node, stream_id, replaced_since, replaced_count
     from mailboxes
     where device_id = :deviceId::text
     for update`,
    { deviceId },
  );
  return row;
}

/** Names a stream as the device's one. */
export async function nameStream(
  trx: Db,
  named: Presence & { replacedSince: number; replacedCount: number },
): Promise<void> {
  await rows(
    trx,
    `update mailboxes
     set stream_node = :node::text, stream_id = :streamId::text,
         replaced_since = :replacedSince::bigint, replaced_count = :replacedCount::integer
     where device_id = :deviceId::text`,
    { ...named },
  );
}

/** Ends streams' presence where they are still their devices' ones. In the order of the devices' ids. */
export async function detachStreams(
  trx: Db,
  streams: readonly { deviceId: string; streamId: string }[],
): Promise<void> {
  await rows(
    trx,
    `update mailboxes as m
     set stream_node = null, stream_id = null
     from unnest(:deviceIds::text[], :streamIds::text[]) as d (device_id, stream_id)
     where m.device_id = d.device_id and m.stream_id = d.stream_id`,
    { deviceIds: streams.map(({ deviceId }) => deviceId), streamIds: streams.map(({ streamId }) => streamId) },
  );
}

/** Where queues end, and whose streams they feed. */
export async function readHeads(
  db: Db,
  deviceIds: readonly string[],
): Promise<Map<string, { head: number; streamId: string | null }>> {
  const found = await rows<{ device_id: string; last_position: number; stream_id: string | null }>(
    db,
    "select device_id, last_position, stream_id from mailboxes where device_id = any(:deviceIds::text[])",
    { deviceIds },
  );
  return new Map(found.map((row) => [row.device_id, { head: row.last_position, streamId: row.stream_id }]));
}
