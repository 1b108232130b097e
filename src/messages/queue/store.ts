import type { Db, Executor } from "../../database/db.js";
import { CopyRows } from "../../database/pipeline/copy.js";
import { joinBytes } from "../../database/pipeline/joined-bytes.js";
import type { OpenPipeline } from "../../database/pipeline/pipelines.js";
import type { QueuedMessage, QueueSlice, SystemEvent } from "../model/types.js";

// The messages of queues. A queue is read only by its key. `expires_at + 0` keeps the planner from using the expiry
// index: right after a vacuum of nearly empty queues that index would look cheaper, and the plan would stay the same
// when the queues fill again.

interface MessageRow {
  position: number;
  message_id: string;
  ciphertext: Buffer;
  sender_signature: string;
  sent_at: number;
  received_at: number;
  expires_at: number;
  system_event: SystemEvent | null;
}

const messageColumns =
  "position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event";

/** Messages of a queue, with the state of the queue at the same time. */
export interface QueuePage extends QueueSlice {
  /** Whether more rows matched than were returned. */
  cut: boolean;
  /** The delivery cursor. */
  delivered: number;
}

/**
 * The first messages after a position, at most `limit`. They end before the message that would bring their ciphertexts
 * over `bytes`, or with it if `overshoot` is 1; at least one message is returned. Sizes are added up before any
 * ciphertext is fetched. Undefined if the device has no queue.
 */
export async function readQueue(
  db: Db,
  from: { deviceId: string; after: number; since: number; now: number; limit: number; bytes: number; overshoot: 0 | 1 },
): Promise<QueuePage | undefined> {
  const found = await db.rows<MessageRow & { last_position: number; delivery_cursor: number; found: number | null }>(
    `select q.last_position, q.delivery_cursor, page.*
     from queues as q
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
     ) as page on true
     where q.device_id = :deviceId::text
     order by page.position`,
    from,
  );
  const [first] = found;
  if (first === undefined) return undefined;
  const messages = found.filter((row) => row.found !== null).map(queuedMessage);
  const cut = (first.found ?? 0) > messages.length;
  return { messages, cut, head: first.last_position, delivered: first.delivery_cursor };
}

function queuedMessage(row: MessageRow): QueuedMessage {
  return {
    position: row.position,
    messageId: row.message_id,
    ciphertext: row.ciphertext,
    senderSignature: row.sender_signature,
    timestamp: row.sent_at,
    receivedAt: row.received_at,
    expiresAt: row.expires_at,
    systemEvent: row.system_event,
  };
}

/** The key of a message in a queue. */
export interface QueuePosition {
  deviceId: string;
  position: number;
}

/**
 * The positions of all unexpired messages with these ids: for each queue first the delivered messages, then the others,
 * both in queue order.
 */
export async function findPositions(
  db: Executor,
  { wanted, now }: { wanted: readonly { deviceId: string; messageId: string }[]; now: number },
): Promise<(QueuePosition & { messageId: string })[]> {
  const found = await db.rows<{ device_id: string; message_id: string; position: number }>(
    `select m.device_id, m.message_id, m.position
     from unnest(:deviceIds::text[], :messageIds::uuid[]) as d (device_id, message_id)
     join messages as m on m.message_id = d.message_id and left(m.device_id, 8) = left(d.device_id, 8)
     where m.device_id = d.device_id and m.expires_at + 0 > :now::bigint
     ${db.placement.onlyShardsOf("m.device_id", ":deviceIds::text[]")}
     order by m.device_id,
              m.delivered_out_of_order or m.position <= (
                select q.delivery_cursor from queues as q
                where q.device_id = m.device_id
                ${db.placement.onlyShardsOf("q.device_id", ":deviceIds::text[]")}
              ) desc,
              m.position`,
    {
      deviceIds: wanted.map(({ deviceId }) => deviceId),
      messageIds: wanted.map(({ messageId }) => messageId),
      now,
    },
  );
  return found.map((row) => ({ deviceId: row.device_id, messageId: row.message_id, position: row.position }));
}

/**
 * Marks messages of a page that skipped older ones after the cursor, if a skipped message has the same id: the cursor
 * cannot tell the two apart.
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
  await db.run(
    `update messages as m set delivered_out_of_order = true
     where m.device_id = :deviceId::text and not m.delivered_out_of_order
       and m.position in (
         select d.position
         from unnest(:positions::bigint[], :messageIds::uuid[]) as d (position, message_id)
         join messages as q on q.message_id = d.message_id and left(q.device_id, 8) = left(:deviceId::text, 8)
         where q.device_id = :deviceId::text and q.position > :cursor::bigint and q.position < d.position
           and not q.delivered_out_of_order
       )`,
    { deviceId, positions, messageIds, cursor },
  );
}

/**
 * Deletes messages by their keys, in the given order, and returns those that existed, with their sizes. The id must fit, too: on a
 * standby that lacked the last messages, another one may have the position. `is true` keeps the planner from the index by message id, which it
 * would prefer for its size after queues have been emptied.
 */
export async function deleteMessages(
  trx: Executor,
  positions: readonly (QueuePosition & { messageId: string })[],
): Promise<(QueuePosition & { bytes: number })[]> {
  const deleted = await trx.rows<{ device_id: string; position: number; bytes: number }>(
    `delete from messages as m
     using unnest(:deviceIds::text[], :positions::bigint[], :messageIds::uuid[]) as d (device_id, position, message_id)
     where m.device_id = d.device_id and m.position = d.position and (m.message_id = d.message_id) is true
     ${trx.placement.onlyShardsOf("m.device_id", ":deviceIds::text[]")}
     returning m.device_id, m.position, octet_length(m.ciphertext) as bytes`,
    {
      deviceIds: positions.map(({ deviceId }) => deviceId),
      positions: positions.map(({ position }) => position),
      messageIds: positions.map(({ messageId }) => messageId),
    },
  );
  return deleted.map((row) => ({ deviceId: row.device_id, position: row.position, bytes: row.bytes }));
}

/** Messages that have expired, the oldest expiry first. */
export async function findExpired(
  db: Db,
  { now, limit }: { now: number; limit: number },
): Promise<(QueuePosition & { messageId: string })[]> {
  const found = await db.rows<{ device_id: string; position: number; message_id: string }>(
    `-- every shard
     select device_id, position, message_id
     from messages
     where expires_at <= :now::bigint
     order by expires_at
     limit :limit::integer`,
    { now, limit },
  );
  return found.map((row) => ({ deviceId: row.device_id, position: row.position, messageId: row.message_id }));
}

/** A message with its position. Times are Unix seconds. */
export interface NewMessage {
  deviceId: string;
  position: number;
  messageId: string;
  ciphertext: Buffer;
  senderSignature: string;
  sentAt: number;
  receivedAt: number;
  expiresAt: number;
  /** JSON, or null. */
  systemEvent: string | null;
}

/** The table with the columns of a new message, as INSERT and COPY take them. */
export const messagesInOrder = `messages (
  device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event)`;

/** Inserts messages by COPY. */
export async function copyMessages(pipeline: OpenPipeline, messages: readonly NewMessage[]): Promise<void> {
  const copied = new CopyRows();
  for (const message of messages) {
    copied.row(9).text(message.deviceId).bigint(message.position).uuid(message.messageId).bytes(message.ciphertext);
    copied.text(message.senderSignature).bigint(message.sentAt).bigint(message.receivedAt).bigint(message.expiresAt);
    copied.jsonb(message.systemEvent);
  }
  await pipeline.copy(messagesInOrder, copied);
}

/**
 * Inserts messages. The ciphertexts are sent as one binary value that the statement cuts up, because an array would be
 * sent in hexadecimal. A shared ciphertext is sent once.
 */
export async function insertMessages(trx: Executor, messages: readonly NewMessage[]): Promise<void> {
  const { bytes, starts } = joinBytes(messages.map(({ ciphertext }) => ciphertext));
  await trx.run(
    `insert into ${messagesInOrder}
     select d.device_id, d.position, d.message_id, substring(:ciphertexts::bytea from d.start for d.length),
            d.sender_signature, d.sent_at, d.received_at, d.expires_at, d.system_event::jsonb
     from unnest(
            :deviceIds::text[], :positions::bigint[], :messageIds::uuid[], :starts::integer[], :lengths::integer[],
            :senderSignatures::text[], :sentAt::bigint[], :receivedAt::bigint[], :expiresAt::bigint[],
            :systemEvents::text[]
          ) as d (device_id, position, message_id, start, length, sender_signature, sent_at, received_at, expires_at,
                  system_event)`,
    {
      ciphertexts: bytes,
      starts,
      lengths: messages.map((message) => message.ciphertext.length),
      ...columnsOf(messages),
    },
  );
}

/** The columns of messages as arrays, except the ciphertexts. */
export function columnsOf(messages: readonly NewMessage[]) {
  return {
    deviceIds: messages.map((message) => message.deviceId),
    positions: messages.map((message) => message.position),
    messageIds: messages.map((message) => message.messageId),
    senderSignatures: messages.map((message) => message.senderSignature),
    sentAt: messages.map((message) => message.sentAt),
    receivedAt: messages.map((message) => message.receivedAt),
    expiresAt: messages.map((message) => message.expiresAt),
    systemEvents: messages.map((message) => message.systemEvent),
  };
}
