import type { Db, Executor } from "../../database/db.js";
import { joinBytes } from "../../database/pipeline/joined-bytes.js";
import type { Backlog } from "../model/types.js";

/** The channel that notifies the nodes of due destinations. */
export const outboxChannel = "outbox";

// The statements that add messages to the outbox and remove them. Statements that remove rows lock them first, in the
// order of their positions, and then their destination. Statements that add rows lock only destinations, in order.

/** The messages that a flush adds to one destination. */
export interface DestinationAddition {
  domain: string;
  messages: number;
  bytes: number;
}

/** A destination's counters. */
export interface DestinationState {
  domain: string;
  last_position: number;
  messages: number;
  bytes: number;
  reached_at: number | null;
}

/**
 * Adds to the counters of destinations, which locks them, and returns the sums. The last positions up to `last_position`
 * belong to this flush. A destination becomes due if it is idle, or waits for the end of a hold: a wait after a failed attempt
 * goes on. `additions` are sorted by domain.
 */
export async function addToDestinations(
  trx: Executor,
  { additions, nowMillis }: { additions: readonly DestinationAddition[]; nowMillis: number },
): Promise<DestinationState[]> {
  return trx.rows<DestinationState>(
    `insert into outbox_destinations as o (domain, last_position, messages, bytes, used_at, next_attempt_millis)
     select d.domain, d.messages, d.messages, d.bytes, :now::bigint, :nowMillis::bigint
     from unnest(:domains::text[], :messages::bigint[], :bytes::bigint[]) as d (domain, messages, bytes)
     on conflict (domain) do update
     set last_position = o.last_position + excluded.messages,
         messages = o.messages + excluded.messages,
         bytes = o.bytes + excluded.bytes,
         used_at = excluded.used_at,
         next_attempt_millis = case when o.failures > 0 and o.next_attempt_millis is not null then o.next_attempt_millis
                                    else least(o.next_attempt_millis, excluded.next_attempt_millis) end
     returning o.domain, o.last_position, o.messages, o.bytes, o.reached_at`,
    {
      domains: additions.map(({ domain }) => domain),
      messages: additions.map(({ messages }) => messages),
      bytes: additions.map(({ bytes }) => bytes),
      nowMillis,
      now: Math.floor(nowMillis / 1000),
    },
  );
}

/** Subtracts the messages that did not fit. Positions are not reused. `refunds` are sorted by domain. */
export async function takeFromDestinations(trx: Executor, refunds: readonly DestinationAddition[]): Promise<void> {
  await trx.run(
    `update outbox_destinations as o
     set messages = o.messages - d.messages, bytes = o.bytes - d.bytes
     from unnest(:domains::text[], :messages::bigint[], :bytes::bigint[]) as d (domain, messages, bytes)
     where o.domain = d.domain`,
    {
      domains: refunds.map(({ domain }) => domain),
      messages: refunds.map(({ messages }) => messages),
      bytes: refunds.map(({ bytes }) => bytes),
    },
  );
}

/** The messages that are waiting for all destinations. */
export async function readTotals(db: Executor): Promise<{ messages: number; bytes: number }> {
  const row = await db.one<{ messages: number; bytes: number }>(
    `select coalesce(sum(messages), 0) as messages, coalesce(sum(bytes), 0) as bytes
     from outbox_destinations
     where messages > 0`,
  );
  return row ?? { messages: 0, bytes: 0 };
}

/** A message with its position. Times are Unix seconds. */
export interface WaitingMessage {
  domain: string;
  position: number;
  messageId: string;
  recipient: string;
  ciphertext: Buffer;
  senderSignature: string;
  sentAt: number;
  /** JSON, or null. */
  systemEvent: string | null;
  /** 16 bytes. */
  dedupTag: Buffer;
  /** The position of the first message with the same ciphertext, in messages to many. */
  sharedPosition: number | null;
  acceptedAt: number;
  expiresAt: number;
  /** Whether its sender chose `expiresAt`. */
  hasLifetime: boolean;
}

const tagBytes = 16;

/** Inserts messages. Their bytes travel as one value that the statement cuts up, as in the queues of devices. */
export async function insertWaiting(trx: Executor, messages: readonly WaitingMessage[]): Promise<void> {
  const { bytes, starts } = joinBytes(messages.map(({ ciphertext }) => ciphertext));
  await trx.run(
    `insert into outbox (
       domain, position, message_id, recipient, ciphertext, sender_signature, sent_at, system_event, dedup_tag,
       accepted_at, expires_at, has_lifetime, shared_position
     )
     select d.domain, d.position, d.message_id, d.recipient, substring(:ciphertexts::bytea from d.start for d.length),
            d.sender_signature, d.sent_at, d.system_event::jsonb,
            substring(:tags::bytea from (d.number - 1)::integer * :tagBytes::integer + 1 for :tagBytes::integer),
            d.accepted_at, d.expires_at, d.has_lifetime, d.shared_position
     from unnest(
            :domains::text[], :positions::bigint[], :messageIds::uuid[], :recipients::uuid[], :starts::integer[],
            :lengths::integer[], :senderSignatures::text[], :sentAt::bigint[], :systemEvents::text[],
            :acceptedAt::bigint[], :expiresAt::bigint[], :lifetimes::boolean[], :sharedPositions::bigint[]
          ) with ordinality as d (domain, position, message_id, recipient, start, length, sender_signature, sent_at,
                                  system_event, accepted_at, expires_at, has_lifetime, shared_position, number)`,
    {
      ciphertexts: bytes,
      tags: Buffer.concat(messages.map(({ dedupTag }) => dedupTag)),
      tagBytes,
      starts,
      domains: messages.map(({ domain }) => domain),
      positions: messages.map(({ position }) => position),
      messageIds: messages.map(({ messageId }) => messageId),
      recipients: messages.map(({ recipient }) => recipient),
      lengths: messages.map(({ ciphertext }) => ciphertext.length),
      senderSignatures: messages.map(({ senderSignature }) => senderSignature),
      sentAt: messages.map(({ sentAt }) => sentAt),
      systemEvents: messages.map(({ systemEvent }) => systemEvent),
      acceptedAt: messages.map(({ acceptedAt }) => acceptedAt),
      expiresAt: messages.map(({ expiresAt }) => expiresAt),
      lifetimes: messages.map(({ hasLifetime }) => hasLifetime),
      sharedPositions: messages.map(({ sharedPosition }) => sharedPosition),
    },
  );
}

/**
 * Removes rows of one destination and returns how many were still there. If two statements remove the same row, only one
 * of them gets it, so each row is counted once.
 */
export async function removeWaiting(db: Db, from: { domain: string; positions: readonly number[] }): Promise<number> {
  const row = await db.one<{ messages: number }>(
    `with gone as (
       delete from outbox
       where domain = :domain::text and position = any(:positions::bigint[])
       returning octet_length(ciphertext) as bytes
     )
     update outbox_destinations as o
     set messages = o.messages - g.messages, bytes = o.bytes - g.bytes
     from (select count(*) as messages, coalesce(sum(bytes), 0) as bytes from gone) as g
     where o.domain = :domain::text
     returning g.messages`,
    from,
  );
  return row?.messages ?? 0;
}

/** Removes the first rows up to a position, at most `limit`. Returns their number. */
export async function removeFirst(db: Db, from: { domain: string; upTo: number; limit: number }): Promise<number> {
  const found = await db.rows<{ position: number }>(
    `select position
     from outbox
     where domain = :domain::text and position <= :upTo::bigint
     order by position
     limit :limit::integer`,
    from,
  );
  if (found.length === 0) return 0;
  await removeWaiting(db, { domain: from.domain, positions: found.map(({ position }) => position) });
  return found.length;
}

/** Expired rows, sorted by destination. */
export async function findExpiredWaiting(
  db: Db,
  { now, limit }: { now: number; limit: number },
): Promise<{ domain: string; position: number }[]> {
  return db.rows(
    `select domain, position
     from (
       select domain, position from outbox where expires_at <= :now::bigint order by expires_at limit :limit::integer
     ) as e
     order by domain, position`,
    { now, limit },
  );
}

/** Removes idle destinations that were last used before a time, or before a later time if they were never reached. */
export async function deleteUnusedDestinations(
  db: Db,
  { usedBefore, unreachedBefore }: { usedBefore: number; unreachedBefore: number },
): Promise<void> {
  await db.run(
    `with unused as (
       delete from outbox_destinations
       where messages = 0 and next_attempt_millis is null and lease_node is null
         and (used_at < :usedBefore::bigint or (reached_at is null and used_at < :unreachedBefore::bigint))
       returning domain
     )
     delete from outbox_transactions as t
     using unused as u
     where t.domain = u.domain`,
    { usedBefore, unreachedBefore },
  );
}

interface BacklogRow {
  domain: string;
  messages: number;
  bytes: number;
  oldest_at: number | null;
  reached_at: number | null;
  failures: number;
  next_attempt_millis: number | null;
  failed_at: number | null;
  problem: string | null;
  sending: boolean;
}

/** Destinations with waiting messages, those with the most first. */
export async function readBacklogs(db: Db, limit: number): Promise<Backlog[]> {
  const found = await db.rows<BacklogRow>(
    `select d.domain, d.messages, d.bytes, d.reached_at, d.failures, d.next_attempt_millis, d.failed_at,
            d.lease_node is not null as sending,
            coalesce(d.problem, (
              select t.problem from outbox_transactions as t
              where t.domain = d.domain and t.due_millis is not null
              order by t.delayed_at
              limit 1
            )) as problem,
            (select o.accepted_at from outbox as o where o.domain = d.domain order by o.position limit 1) as oldest_at
     from (select * from outbox_destinations where messages > 0 order by messages desc, domain limit :limit) as d
     order by d.messages desc, d.domain`,
    { limit },
  );
  return found.map((row) => ({
    domain: row.domain,
    messages: row.messages,
    bytes: row.bytes,
    oldestAt: row.oldest_at,
    reachedAt: row.reached_at,
    failures: row.failures,
    nextAttemptAt: row.next_attempt_millis === null ? null : Math.ceil(row.next_attempt_millis / 1000),
    failedAt: row.failed_at,
    problem: row.problem,
    sending: row.sending,
  }));
}

/** The last position of a destination and its number of messages. */
export async function findDestination(
  db: Db,
  domain: string,
): Promise<{ last_position: number; messages: number } | undefined> {
  const row = await db.one<{ last_position: number; messages: number }>(
    "select last_position, messages from outbox_destinations where domain = :domain::text",
    { domain },
  );
  return row;
}
