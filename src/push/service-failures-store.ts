import type { Db } from "../database/db.js";

/**
 * Counts a failure of a service, unless it is paused already, and pauses it after `threshold` failures in a row: for
 * `firstPause` seconds, then twice as long each time, up to `longestPause`, but at least for `retryAfter`. Returns until when it
 * is paused, in Unix seconds.
 */
export async function countFailure(
  db: Db,
  given: {
    service: Buffer;
    now: number;
    retryAfter: number;
    threshold: number;
    firstPause: number;
    longestPause: number;
  },
): Promise<number> {
  const pause = (failures: string): string => `
    case when ${failures} < :threshold::integer then 0
    else :now::bigint + greatest(
      :retryAfter::bigint,
      least(:longestPause::bigint, :firstPause::bigint * (2 ^ least(30, ${failures} - :threshold::integer))::bigint)
    ) end`;
  const counted = await db.one<{ pausedUntil: number }>(
    `insert into push_services as v (service, failures, failed_at, paused_until)
     values (:service::bytea, 1, :now::bigint, ${pause("1")})
     on conflict (service) do update set
       failures = case when v.paused_until > :now::bigint then v.failures else v.failures + 1 end,
       failed_at = excluded.failed_at,
       paused_until = case when v.paused_until > :now::bigint then v.paused_until else ${pause("(v.failures + 1)")} end
     returning v.paused_until as "pausedUntil"`,
    given,
  );
  return counted?.pausedUntil ?? 0;
}

/**
 * Moves up to `limit` pushes that are due at a paused service behind the end of its pause, spread over `spreadMillis`; returns
 * how many.
 */
export async function postponeService(
  db: Db,
  given: { service: Buffer; until: number; spreadMillis: number; limit: number },
): Promise<number> {
  const moved = await db.rows(
    `update push_subscriptions as p
     set due_at_millis = :until::bigint * 1000 + floor(random() * :spreadMillis::integer)
     from (
       select device_id from push_subscriptions
       where service = :service::bytea and due_at_millis < :until::bigint * 1000
       order by device_id limit :limit::integer
       for update skip locked
     ) as d
     where p.device_id = d.device_id returning 1`,
    given,
  );
  return moved.length;
}

/** Forgets the failures of a service that has taken a push. */
export async function clearFailures(db: Db, service: Buffer): Promise<void> {
  await db.run("delete from push_services where service = :service::bytea", { service });
}

/** Forgets services that nobody has called for long. */
export async function deleteOldServices(db: Db, failedBefore: number): Promise<void> {
  await db.run("delete from push_services where failed_at < :failedBefore::bigint", { failedBefore });
}
