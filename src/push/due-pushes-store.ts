import type { Db } from "../database/db.js";
import type { StoredSubscription } from "./store.js";
import type { PushUrgency } from "./types.js";

/** What decides whether and when a confirmed subscription is pushed to. */
export interface PacingRow {
  deviceId: string;
  urgency: PushUrgency;
  /** Null if no push is due. */
  urgencyDue: PushUrgency | null;
  pushedAt: number | null;
  pushedPosition: number;
  pushedCursor: number;
  lowPushedAt: number | null;
  unanswered: number;
}

const pacingColumns = `
  device_id as "deviceId", urgency, due_urgency as "urgencyDue", pushed_at as "pushedAt",
  pushed_position as "pushedPosition", pushed_cursor as "pushedCursor", low_pushed_at as "lowPushedAt", unanswered`;

/** The confirmed subscriptions of these devices. */
export async function readPacing(db: Db, deviceIds: readonly string[]): Promise<PacingRow[]> {
  const sql = `select ${pacingColumns} from push_subscriptions where confirmed and device_id = any(:deviceIds::text[])`;
  return db.rows<PacingRow>(sql, { deviceIds });
}

/** Confirmed subscriptions in the order of their devices, after one of them. */
export async function readPacingAfter(db: Db, given: { after: string; limit: number }): Promise<PacingRow[]> {
  const sql = `select ${pacingColumns} from push_subscriptions
    where confirmed and device_id > :after::text order by device_id limit :limit::integer`;
  return db.rows<PacingRow>(sql, given);
}

/** A push that has become due. */
export interface NewlyDue {
  deviceId: string;
  dueAtMillis: number;
  sinceMillis: number;
  urgency: PushUrgency;
}

/**
 * Makes pushes due, but not before the pause of their service ends. A push that is due already is moved forward at most, and not
 * while it is being repeated after a failure.
 */
export async function makeDue(db: Db, due: readonly NewlyDue[]): Promise<void> {
  if (due.length === 0) return;
  const inOrder = due.toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
  await db.run(
    `update push_subscriptions as p
     set due_at_millis = case
           when p.due_at_millis is null then greatest(d.due_at_millis, s.paused_until_millis)
           when p.attempts > 0 then p.due_at_millis
           else least(p.due_at_millis, greatest(d.due_at_millis, s.paused_until_millis))
         end,
         due_since_millis = least(p.due_since_millis, d.since_millis),
         due_urgency = case when p.due_urgency = 'high' then 'high' else d.urgency end
     from unnest(:deviceIds::text[], :dueAts::bigint[], :sinces::bigint[], :urgencies::text[])
            as d (device_id, due_at_millis, since_millis, urgency),
          lateral (
            select coalesce(max(v.paused_until), 0) * 1000 as paused_until_millis from push_services v
            where v.service = (select o.service from push_subscriptions o where o.device_id = d.device_id)
          ) as s
     where p.device_id = d.device_id`,
    {
      deviceIds: inOrder.map(({ deviceId }) => deviceId),
      dueAts: inOrder.map(({ dueAtMillis }) => dueAtMillis),
      sinces: inOrder.map(({ sinceMillis }) => sinceMillis),
      urgencies: inOrder.map(({ urgency }) => urgency),
    },
  );
}

/** Records that devices have read their queues since their last push; returns how many had not been recorded before. */
export async function markAnswered(db: Db, deviceIds: readonly string[]): Promise<number> {
  if (deviceIds.length === 0) return 0;
  const answered = await db.rows(
    `update push_subscriptions set unanswered = 0
     where device_id = any(:deviceIds::text[]) and unanswered > 0
     returning 1`,
    { deviceIds },
  );
  return answered.length;
}

/** A push that this node has taken. Nobody else sends it before the lease ends. */
export interface LeasedPush extends StoredSubscription {
  urgencyDue: PushUrgency;
  sinceMillis: number;
  attempts: number;
  unanswered: number;
  pushedCursor: number;
  /** Failures of the service since it last took a push. */
  serviceFailures: number;
}

/** Due pushes that are read for each one that may be taken, so that one service cannot hide the others. */
const lookedAtPerPush = 4;

/**
 * Takes up to `limit` pushes that are due, the oldest first, but no more of one service than `perService` together with
 * those that it has in `places` (by hexadecimal name). Those that do not fit may hide others, which the next call finds: the
 * service is then full.
 */
export async function leaseDue(
  db: Db,
  given: {
    nowMillis: number;
    untilMillis: number;
    lease: string;
    limit: number;
    perService: number;
    places: ReadonlyMap<string, number>;
    /** Devices to leave out. */
    sending: readonly string[];
    /** By hexadecimal name; null for all. */
    onlyServices: readonly string[] | null;
  },
): Promise<LeasedPush[]> {
  const { places, onlyServices, ...rest } = given;
  const bytesOf = (names: Iterable<string>) => [...names].map((name) => Buffer.from(name, "hex"));
  const services = bytesOf(places.keys());
  const only = onlyServices === null ? null : bytesOf(onlyServices);
  return db.rows<LeasedPush>(
    `with used as (select * from unnest(:services::bytea[], :counts::integer[]) as u (service, count)),
     due as (
       select device_id, service, due_at_millis from push_subscriptions
       where due_at_millis <= :nowMillis::bigint and leased_until_millis <= :nowMillis::bigint
         and device_id <> all(:sending::text[])
         and (:only::bytea[] is null or service = any(:only::bytea[]))
         and not exists (select from used u where u.service = push_subscriptions.service and u.count >= :perService::integer)
       order by due_at_millis limit :lookedAt::integer
     ),
     placed as (
       select d.device_id, d.due_at_millis,
         coalesce(u.count, 0) + row_number() over (partition by d.service order by d.due_at_millis) as place
       from due d left join used u using (service)
     ),
     taken as (
       select p.device_id from push_subscriptions p join placed d using (device_id)
       where d.place <= :perService::integer
         and p.due_at_millis <= :nowMillis::bigint and p.leased_until_millis <= :nowMillis::bigint
       order by d.due_at_millis limit :limit::integer
       for update of p skip locked
     )
     update push_subscriptions as p
     set lease = :lease::uuid, leased_until_millis = :untilMillis::bigint
     from taken as d
     where p.device_id = d.device_id
     returning p.device_id as "deviceId", p.sealed, p.service, p.key_id as "keyId", p.urgency, p.created_at as "createdAt",
       p.expires_at as "expiresAt", p.code_hash as "codeHash", p.code_expires_at as "codeExpiresAt", p.confirmed,
       p.pushed_at as "pushedAt", p.due_urgency as "urgencyDue", p.due_since_millis as "sinceMillis", p.attempts,
       p.unanswered, p.pushed_cursor as "pushedCursor",
       coalesce((select v.failures from push_services v where v.service = p.service), 0) as "serviceFailures"`,
    { ...rest, services, only, counts: [...places.values()], lookedAt: rest.limit * lookedAtPerPush },
  );
}

interface LeaseKey {
  deviceId: string;
  lease: string;
}

const nothingDue =
  "due_at_millis = null, due_since_millis = null, due_urgency = null, attempts = 0, lease = null, leased_until_millis = 0";

/** Ends a push that the service refuses. The next message makes another one due. */
export async function giveUpPush(db: Db, given: LeaseKey & { position: number }): Promise<void> {
  await db.run(
    `update push_subscriptions set ${nothingDue}, pushed_position = :position::bigint
     where device_id = :deviceId::text and lease = :lease::uuid`,
    { ...given },
  );
}

/** Ends a push that is not needed any more. */
export async function dropPush(db: Db, key: LeaseKey): Promise<void> {
  await db.run(
    `update push_subscriptions set ${nothingDue}
     where device_id = :deviceId::text and lease = :lease::uuid`,
    { ...key },
  );
}

/** Records that the service has taken a push for messages. */
export async function recordPushed(
  db: Db,
  given: LeaseKey & { now: number; position: number; cursor: number; unanswered: number },
): Promise<void> {
  await db.run(
    `update push_subscriptions
     set ${nothingDue}, pushed_at = :now::bigint, pushed_position = :position::bigint, pushed_cursor = :cursor::bigint,
         unanswered = :unanswered::integer
     where device_id = :deviceId::text and lease = :lease::uuid`,
    { ...given },
  );
}

/** Records that the service has taken a push for few key packages. */
export async function recordLowPushed(db: Db, given: LeaseKey & { now: number }): Promise<void> {
  await db.run(
    `update push_subscriptions set ${nothingDue}, low_pushed_at = :now::bigint
     where device_id = :deviceId::text and lease = :lease::uuid`,
    { ...given },
  );
}

/** Lets a push be sent again at a later time. */
export async function postponePush(db: Db, given: LeaseKey & { dueAtMillis: number }): Promise<void> {
  await db.run(
    `update push_subscriptions
     set due_at_millis = :dueAtMillis::bigint, attempts = attempts + 1, lease = null, leased_until_millis = 0
     where device_id = :deviceId::text and lease = :lease::uuid`,
    { ...given },
  );
}
