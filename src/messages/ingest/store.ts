import { joinHashes } from "../../platform/auth/keyed-hash.js";
import { type Db, type Pipeline, rows } from "../../platform/database/connection.js";
import { CopyRows } from "../../platform/database/copy.js";
import type { OpenPipeline } from "../../platform/database/pipelines.js";

// The statements of the intake. Each serves a whole flush. Rows of `mailboxes` are locked in the order of their ids and
// keys are inserted in their order, so that flushes that run at once wait for each other in one direction only.

function keyText({ key }: { key: Buffer }): string {
  return key.toString("latin1");
}

/** What the intake reads of a device: its standing as a sender and its wishes as a recipient. */
export interface Member {
  device_id: string;
  registered_at: number;
  admin_verified: boolean;
  blocked_at: number | null;
  banned_until: number | null;
  custom_limit: number | null;
  custom_limit_expires_at: number | null;
  max_retention_days: number | null;
  offline_message_limit: number | null;
  hide_presence: boolean;
}

/** The device behind each prefix that has an active mapping. */
export async function findRecipients(
  db: Db | Pipeline,
  { prefixes, now }: { prefixes: readonly string[]; now: number },
): Promise<Map<string, string>> {
  const found = await rows<{ prefix: string; device_id: string }>(
    db,
    `select prefix, device_id
     from addresses
     where prefix = any(:prefixes::uuid[]) and expires_at > :now::bigint`,
    { prefixes, now },
  );
  return new Map(found.map((row) => [row.prefix, row.device_id]));
}

/** Standing and wishes of devices, by id. */
export async function findMembers(db: Db | Pipeline, deviceIds: readonly string[]): Promise<Map<string, Member>> {
  const found = await rows<Member>(
    db,
    `select device_id, registered_at, admin_verified, blocked_at, banned_until, custom_limit, custom_limit_expires_at,
            max_retention_days, offline_message_limit, hide_presence
     from devices
     where device_id = any(:deviceIds::text[])`,
    { deviceIds },
  );
  return new Map(found.map((row) => [row.device_id, row]));
}

/** Gives devices that have none a mailbox. */
export async function createMailboxes(db: Db, deviceIds: readonly string[]): Promise<void> {
  await rows(
    db,
    `insert into mailboxes (device_id)
     select device_id from devices where device_id = any(:deviceIds::text[])
     on conflict (device_id) do nothing`,
    { deviceIds },
  );
}

/**
 * Makes the statements of this transaction that follow go through their arrays in order and find each row by its key,
 * whatever the planner thinks of the tables' sizes: it is the order of locking that counts.
 */
export async function keepArrayOrder(trx: Db): Promise<void> {
  await rows(
    trx,
    `select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
            set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`,
  );
}

/** Stores keys that are not there yet, which is what it returns. `keys` are in order and distinct, a character per byte. */
export async function insertKeys(
  trx: Db,
  { keys, expiresOn }: { keys: readonly string[]; expiresOn: number },
): Promise<string[]> {
  const inserted = await rows<{ key: Buffer }>(
    trx,
    `insert into deduplication (key, expires_on)
     select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer), :expiresOn::integer
     from generate_series(1, :count::integer) as n
     on conflict (key) do nothing
     returning key`,
    { ...joinHashes(keys), expiresOn },
  );
  return inserted.map(keyText);
}

/** The same, of which only the number is returned. */
export async function countNewKeys(
  trx: Db | Pipeline,
  { keys, expiresOn }: { keys: readonly string[]; expiresOn: number },
): Promise<number> {
  const [row] = await rows<{ count: number }>(
    trx,
    `with inserted as (
       insert into deduplication (key, expires_on)
       select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer), :expiresOn::integer
       from generate_series(1, :count::integer) as n
       on conflict (key) do nothing
       returning 1
     )
     select count(*) as count from inserted`,
    { ...joinHashes(keys), expiresOn },
  );
  return row?.count ?? 0;
}

/** Which of these keys are stored. */
export async function findKeys(db: Db | Pipeline, keys: readonly string[]): Promise<string[]> {
  const found = await rows<{ key: Buffer }>(
    db,
    `select key from deduplication
     where key = any(array(
       select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer)
       from generate_series(1, :count::integer) as n))`,
    joinHashes(keys),
  );
  return found.map(keyText);
}

/** Removes the keys of messages that were refused after all. */
export async function deleteKeys(trx: Db | Pipeline, keys: readonly string[]): Promise<void> {
  await rows(
    trx,
    `delete from deduplication
     where key = any(array(
       select substring(:keys::bytea from (n - 1) * :keyBytes::integer + 1 for :keyBytes::integer)
       from generate_series(1, :count::integer) as n))`,
    joinHashes(keys),
  );
}

/** What a flush adds to one queue: messages and bytes. */
export interface Addition {
  deviceId: string;
  arrivals: number;
  bytes: number;
}

/** A mailbox, as far as the intake judges by it. */
export interface MailboxState {
  device_id: string;
  last_position: number;
  last_received_at: number;
  queued_messages: number;
  queued_bytes: number;
  stream_node: string | null;
}

const stateColumns: readonly (keyof MailboxState)[] = [
  "device_id",
  "last_position",
  "last_received_at",
  "queued_messages",
  "queued_bytes",
  "stream_node",
];

/**
 * Adds a flush to the queues, under their rows' locks, and returns what they hold then; positions up to `last_position`
 * belong to this flush. `additions` are in the order of their ids.
 */
export async function addToMailboxes(
  trx: Db | Pipeline,
  { additions, now }: { additions: readonly Addition[]; now: number },
): Promise<MailboxState[]> {
  return rows<MailboxState>(
    trx,
    `update mailboxes as m
     set messages_received = m.messages_received + d.arrivals,
         last_position = m.last_position + d.arrivals,
         last_received_at = greatest(m.last_received_at, :now::bigint),
         queued_messages = m.queued_messages + d.arrivals,
         queued_bytes = m.queued_bytes + d.bytes
     from unnest(:deviceIds::text[], :arrivals::integer[], :bytes::bigint[]) as d (device_id, arrivals, bytes)
     where m.device_id = d.device_id
     returning ${stateColumns.map((name) => `m.${name}`).join(", ")}`,
    {
      now,
      deviceIds: additions.map((addition) => addition.deviceId),
      arrivals: additions.map((addition) => addition.arrivals),
      bytes: additions.map((addition) => addition.bytes),
    },
  );
}

/** Mailboxes as they are, without a lock. */
export async function readMailboxes(db: Db, deviceIds: readonly string[]): Promise<MailboxState[]> {
  return rows<MailboxState>(
    db,
    `select ${stateColumns.join(", ")} from mailboxes where device_id = any(:deviceIds::text[])`,
    { deviceIds },
  );
}

/** What a flush takes back from one queue. */
export interface Refund {
  deviceId: string;
  arrivals: number;
  bytes: number;
}

/** Takes back what was added for messages that were refused after all. Positions are not reused. */
export async function refundMailboxes(trx: Db | Pipeline, refunds: readonly Refund[]): Promise<void> {
  await rows(
    trx,
    `update mailboxes as m
     set messages_received = m.messages_received - d.arrivals,
         queued_messages = m.queued_messages - d.arrivals,
         queued_bytes = m.queued_bytes - d.bytes
     from unnest(:deviceIds::text[], :arrivals::integer[], :bytes::bigint[]) as d (device_id, arrivals, bytes)
     where m.device_id = d.device_id`,
    {
      deviceIds: refunds.map((refund) => refund.deviceId),
      arrivals: refunds.map((refund) => refund.arrivals),
      bytes: refunds.map((refund) => refund.bytes),
    },
  );
}

/** A message with its place. Times are Unix seconds. */
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

const messagesInOrder = `messages (
  device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event)`;

/** Puts messages into their queues by COPY. */
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
 * Puts messages into their queues. The ciphertexts travel as one binary value that the statement cuts up: an array of
 * them would be written out in hexadecimal.
 */
export async function insertMessages(trx: Db, messages: readonly NewMessage[]): Promise<void> {
  let end = 0;
  const starts = messages.map(({ ciphertext }) => {
    end += ciphertext.length;
    return end - ciphertext.length + 1;
  });
  await rows(
    trx,
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
      ciphertexts: Buffer.concat(messages.map((message) => message.ciphertext)),
      starts,
      deviceIds: messages.map((message) => message.deviceId),
      positions: messages.map((message) => message.position),
      messageIds: messages.map((message) => message.messageId),
      lengths: messages.map((message) => message.ciphertext.length),
      senderSignatures: messages.map((message) => message.senderSignature),
      sentAt: messages.map((message) => message.sentAt),
      receivedAt: messages.map((message) => message.receivedAt),
      expiresAt: messages.map((message) => message.expiresAt),
      systemEvents: messages.map((message) => message.systemEvent),
    },
  );
}
