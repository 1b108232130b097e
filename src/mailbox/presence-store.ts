import { type Db, rows } from "../platform/database/connection.js";

/** A stream of a device, on a node. */
export interface Presence {
  deviceId: string;
  node: string;
  streamId: string;
}

/** What a device's mailbox said when a stream took it over. */
export interface Attachment {
  headPosition: number;
  handedOut: number;
  replaced: { node: string; streamId: string } | undefined;
}

/** How often a device's stream may be replaced. */
export interface ReplacementRule {
  now: number;
  windowSeconds: number;
  limit: number;
}

/**
 * Makes a stream the device's one, unless it would replace another and the window's replacements are used up; then the
 * answer is how many seconds the window lasts. Undefined where there is no mailbox.
 */
export async function attachStream(
  db: Db,
  presence: Presence,
  rule: ReplacementRule,
): Promise<Attachment | { refusedForSeconds: number } | undefined> {
  const [row] = await rows<{
    last_position: number;
    handed_out_position: number;
    old_node: string | null;
    old_id: string | null;
  }>(
    db,
    `update mailboxes as m
     set stream_node = :node::text, stream_id = :streamId::text,
         replaced_since = case when old.stream_id is not null and old.over then :now::bigint else m.replaced_since end,
         replaced_count = case when old.stream_id is null then m.replaced_count when old.over then 1
                               else m.replaced_count + 1 end
     from (
       select device_id, stream_node, stream_id, replaced_count,
              :now::bigint - replaced_since >= :windowSeconds::bigint as over
       from mailboxes
       where device_id = :deviceId::text
       for update
     ) as old
     where m.device_id = old.device_id and m.device_id = :deviceId::text
       and (old.stream_id is null or old.over or old.replaced_count < :limit::integer)
     returning m.last_position, m.handed_out_position, old.stream_node as old_node, old.stream_id as old_id`,
    { ...presence, ...rule },
  );
  if (row === undefined) return refusal(db, presence.deviceId, rule);
  const replaced =
    row.old_node === null || row.old_id === null ? undefined : { node: row.old_node, streamId: row.old_id };
  return { headPosition: row.last_position, handedOut: row.handed_out_position, replaced };
}

async function refusal(
  db: Db,
  deviceId: string,
  { now, windowSeconds }: ReplacementRule,
): Promise<{ refusedForSeconds: number } | undefined> {
  const [row] = await rows<{ replaced_since: number }>(
    db,
    "select replaced_since from mailboxes where device_id = :deviceId::text",
    { deviceId },
  );
  return row && { refusedForSeconds: Math.max(1, row.replaced_since + windowSeconds - now) };
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
