import { asynchronousCommit } from "../../database/asynchronous-commit.js";
import type { Db, Executor } from "../../database/db.js";
import type { StoredTransaction } from "./stored-transaction.js";

// The statements for leases and holds. A destination that a node delivers to carries the lease of that node. Statements
// that change its schedule name the lease, so a node that has lost it changes nothing.

/** Destinations are found and limited by kind: never reached or not, and last attempt failed or not. */
export interface DestinationKind {
  unreached: boolean;
  failing: boolean;
}

/** Destinations of a kind that are due and not leased. */
export async function findDue(
  db: Executor,
  asked: DestinationKind & { nowMillis: number; limit: number },
): Promise<string[]> {
  const found = await db.rows<{ domain: string }>(
    `select domain
     from outbox_destinations
     where lease_node is null and next_attempt_millis <= :nowMillis::bigint
       and unreached = :unreached::boolean and (failures > 0) = :failing::boolean
     order by next_attempt_millis
     limit :limit::integer`,
    { ...asked },
  );
  return found.map(({ domain }) => domain);
}

/** The exclusive right of one node to deliver to one destination. */
export interface Lease {
  domain: string;
  leaseId: string;
}

/** The state of a destination at the time of its claim. */
export interface Claimed {
  /** Whether it has never answered a delivery. */
  unreached: boolean;
  failures: number;
  /** The stored transactions without an answer, in the order in which they were chosen. Delayed ones are left out. */
  transactions: StoredTransaction[];
  /** When the first delayed transaction is due, in Unix milliseconds; null if there is none. */
  delayedUntil: number | null;
  /** Most messages of the next transaction, after a larger one was refused as a whole. */
  transactionLimit: number | null;
  /** Whether there are recipients on hold. */
  held: boolean;
}

interface ClaimedRow {
  unreached: boolean;
  failures: number;
  stored: StoredTransaction[];
  delayed_until: number | null;
  transaction_limit: number | null;
  held: boolean;
}

/**
 * Leases a due destination. Undefined if another node was faster, or if it is not of the kind `only`. The commit is
 * asynchronous: the lease is on disk before anything is sent, with the commit that stores the transaction.
 */
export async function claimDestination(
  db: Executor,
  { only, ...lease }: Lease & { node: string; nowMillis: number; leaseSeconds: number; only: DestinationKind | null },
): Promise<Claimed | undefined> {
  const row = await db.one<ClaimedRow>(
    `${asynchronousCommit}
     update outbox_destinations
     set lease_node = :node::text, lease_id = :leaseId::uuid,
         lease_until = clock_timestamp() + make_interval(secs => :leaseSeconds::integer)
     from asynchronous_commit
     where domain = :domain::text and lease_node is null and next_attempt_millis <= :nowMillis::bigint
       and (:anyKind::boolean or (unreached = :unreached::boolean and (failures > 0) = :failing::boolean))
     returning unreached, failures, transaction_limit,
               (
                 select coalesce(
                   json_agg(
                     json_build_object('id', t.id, 'at', t.created_at, 'positions', t.positions, 'form', t.form, 'delayed', null)
                     order by t.positions[1]
                   ),
                   '[]'
                 )
                 from outbox_transactions as t
                 where t.domain = :domain::text and t.due_millis is null
               ) as stored,
               (select min(t.due_millis) from outbox_transactions as t where t.domain = :domain::text) as delayed_until,
               exists (select from outbox_holds as h where h.domain = :domain::text) as held`,
    { ...lease, anyKind: only === null, unreached: only?.unreached ?? false, failing: only?.failing ?? false },
  );
  if (row === undefined) return undefined;
  const { unreached, failures, stored: transactions, held } = row;
  return {
    ...{ unreached, failures, transactions, held },
    delayedUntil: row.delayed_until,
    transactionLimit: row.transaction_limit,
  };
}

/** No row while nothing is leased, and nothing due at `:outboxNowMillis`. Each kind of destination is found by the index. */
export const outboxWork = `
  select 'work'
  where exists (select from outbox_destinations where lease_node is not null)
    or exists (
      select from outbox_destinations
      where lease_node is null and next_attempt_millis <= :outboxNowMillis::bigint
        and unreached = any('{f,t}'::boolean[]) and (failures > 0) = any('{f,t}'::boolean[]))`;

/** Every lease, and whether it has run out by the clock of the database, which tests cannot advance. */
export async function findLeases(db: Db): Promise<(Lease & { node: string; over: boolean })[]> {
  return db.rows(
    `select domain, lease_id as "leaseId", lease_node as node, lease_until < clock_timestamp() as over
     from outbox_destinations
     where lease_node is not null`,
  );
}

/** Ends a lease and sets when the destination is due next. Stored transactions stay. */
export async function releaseDestination(
  db: Db,
  { domain, leaseId, nextAttemptMillis }: Lease & { nextAttemptMillis: number },
): Promise<void> {
  await db.run(
    `update outbox_destinations
     set next_attempt_millis = :nextAttemptMillis::bigint, lease_node = null, lease_id = null, lease_until = null
     where domain = :domain::text and lease_id = :leaseId::uuid`,
    { domain, leaseId, nextAttemptMillis },
  );
}

/**
 * Ends a lease while all waiting messages are on hold, or expire. The destination is due at the given time, or now if messages
 * have been added behind the position `seen`.
 */
export async function releaseHeld(
  db: Db,
  {
    domain,
    leaseId,
    nextAttemptMillis,
    nowMillis,
    seen,
  }: Lease & {
    nextAttemptMillis: number;
    nowMillis: number;
    seen: number;
  },
): Promise<void> {
  await db.run(
    `update outbox_destinations
     set next_attempt_millis = case when last_position > :seen::bigint then :nowMillis::bigint
                                    else :nextAttemptMillis::bigint end,
         lease_node = null, lease_id = null, lease_until = null
     where domain = :domain::text and lease_id = :leaseId::uuid`,
    { domain, leaseId, nextAttemptMillis, nowMillis, seen },
  );
}

/** Ends a lease after a failed attempt. */
export async function releaseFailed(
  db: Db,
  failed: Lease & { nextAttemptMillis: number; nowMillis: number; problem: string },
): Promise<void> {
  await db.run(
    `update outbox_destinations
     set next_attempt_millis = :nextAttemptMillis::bigint, failures = failures + 1,
         failed_at = :nowMillis::bigint / 1000, problem = :problem::text,
         lease_node = null, lease_id = null, lease_until = null
     where domain = :domain::text and lease_id = :leaseId::uuid`,
    { ...failed },
  );
}

/**
 * Ends the lease of a destination without waiting messages, and its holds. False, and no change, if there are some. Messages are added
 * under the lock of the same row, so they are seen here or make the destination due again. A crash of the database can
 * bring the lease back, since the commit is asynchronous. The sweep then ends it.
 */
export async function releaseIdle(db: Executor, { domain, leaseId }: Lease): Promise<boolean> {
  const released = await db.rows(
    `${asynchronousCommit},
     released as (
       update outbox_destinations as d
       set next_attempt_millis = null, lease_node = null, lease_id = null, lease_until = null
       from asynchronous_commit
       where d.domain = :domain::text and d.lease_id = :leaseId::uuid and d.messages <= 0
       returning d.domain
     ),
     forgotten as (delete from outbox_transactions as t using released as r where t.domain = r.domain),
     ended as (delete from outbox_holds as h using released as r where h.domain = r.domain)
     select 1 from released`,
    { domain, leaseId },
  );
  return released.length > 0;
}

/** A recipient at a destination whose messages are not sent for a while. */
interface Hold {
  recipient: string;
  untilMillis: number;
}

/** How often each of these recipients was deferred. */
export async function readHolds(
  db: Db,
  { domain, recipients }: { domain: string; recipients: readonly string[] },
): Promise<Map<string, number>> {
  const found = await db.rows<{ recipient: string; failures: number }>(
    `select recipient, failures
     from outbox_holds
     where domain = :domain::text and recipient = any(:recipients::uuid[])`,
    { domain, recipients },
  );
  return new Map(found.map((row) => [row.recipient, row.failures]));
}

/** Puts recipients on hold and counts how often. */
export async function holdRecipients(
  db: Db,
  { domain, holds }: { domain: string; holds: readonly Hold[] },
): Promise<void> {
  await db.run(
    `insert into outbox_holds as h (domain, recipient, failures, until_millis)
     select :domain::text, d.recipient, 1, d.until_millis
     from unnest(:recipients::uuid[], :untilMillis::bigint[]) as d (recipient, until_millis)
     on conflict (domain, recipient) do update
     set failures = h.failures + 1, until_millis = excluded.until_millis, transaction_id = null`,
    {
      domain,
      recipients: holds.map(({ recipient }) => recipient),
      untilMillis: holds.map(({ untilMillis }) => untilMillis),
    },
  );
}

/** Ends the holds of these recipients. */
export async function endHolds(
  db: Db,
  { domain, recipients }: { domain: string; recipients: readonly string[] },
): Promise<void> {
  await db.run("delete from outbox_holds where domain = :domain::text and recipient = any(:recipients::uuid[])", {
    domain,
    recipients,
  });
}

/** Ends every hold at a destination, from the next pass over its messages on. Delayed transactions are due. */
export async function endAllHolds(db: Db, { domain, nowMillis }: { domain: string; nowMillis: number }): Promise<void> {
  await db.run(
    `with due as (
       update outbox_transactions set due_millis = least(due_millis, :nowMillis::bigint)
       where domain = :domain::text and due_millis is not null
     )
     update outbox_holds set until_millis = least(until_millis, :nowMillis::bigint), failures = 0
     where domain = :domain::text`,
    { domain, nowMillis },
  );
}

/** When the first hold at a destination ends, or its first delayed transaction is due. Null if there is neither. */
export async function firstHoldEnd(db: Db, domain: string): Promise<number | null> {
  const row = await db.one<{ until_millis: number | null }>(
    `select least(
       (select min(until_millis) from outbox_holds where domain = :domain::text and transaction_id is null),
       (select min(due_millis) from outbox_transactions where domain = :domain::text)
     ) as until_millis`,
    { domain },
  );
  return row?.until_millis ?? null;
}

/** Makes a destination in backoff due now and resets its failures. False if it was due or leased. */
export async function clearBackoff(
  db: Db,
  { domain, nowMillis }: { domain: string; nowMillis: number },
): Promise<boolean> {
  const cleared = await db.rows(
    `update outbox_destinations
     set next_attempt_millis = :nowMillis::bigint, failures = 0
     where domain = :domain::text and lease_node is null and next_attempt_millis > :nowMillis::bigint
     returning 1`,
    { domain, nowMillis },
  );
  return cleared.length > 0;
}

/** The same for every destination at a host, on any port, and at the names below it. */
export async function clearBackoffBelow(
  db: Db,
  { host, nowMillis }: { host: string; nowMillis: number },
): Promise<boolean> {
  const cleared = await db.rows(
    `update outbox_destinations
     set next_attempt_millis = :nowMillis::bigint, failures = 0
     where (split_part(domain, ':', 1) = :host::text or split_part(domain, ':', 1) like :below::text)
       and lease_node is null and next_attempt_millis > :nowMillis::bigint
     returning 1`,
    { host, below: `%.${host.replaceAll(/[%_\\]/g, "\\$&")}`, nowMillis },
  );
  return cleared.length > 0;
}
