import type { Db } from "../../../database/db.js";
import { dayMillis } from "../../../protocol/units.js";

// The partitions of `message_keys`, one per day. Their statements lock the table for an instant; the lock timeout
// bounds how long they wait for the lock, because all ingest waits behind them meanwhile.

const lockTimeoutMillis = 100;
/** If a day has more keys than this outside its partition, they stay there: moving them would take seconds. */
const maxMovedKeys = 200_000;

/** Days since 1970. */
export interface KeyDays {
  first: number;
  last: number;
  /** How many more days the keys of a day are kept; never shortened. */
  retentionDays: number;
}

/** Records until when the keys of these days are kept. */
export async function keepDays(db: Db, days: KeyDays): Promise<void> {
  await db.run(
    `insert into message_key_days (day, kept_until)
     select day, day + :retentionDays::integer from generate_series(:first::integer, :last::integer) as day
     on conflict (day) do update set kept_until = excluded.kept_until
     where message_key_days.kept_until < excluded.kept_until`,
    { ...days },
  );
}

/** The days whose keys are no longer kept. */
export async function findExpiredDays(db: Db, today: number): Promise<number[]> {
  const found = await db.rows<{ day: number }>(
    "select day from message_key_days where kept_until < :today::integer order by day",
    { today },
  );
  return found.map(({ day }) => day);
}

/**
 * Those of these days that have no partition. The catalogue is read because a session's cache may be older than the
 * lock that another node held.
 */
export async function findMissingPartitions(
  db: Db,
  { first, last }: Pick<KeyDays, "first" | "last">,
): Promise<number[]> {
  const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const found = await db.rows<{ name: string }>(
    `select name from unnest(:names::text[]) as given (name)
     where not exists (
       select from pg_class as c where c.relname = given.name and c.relnamespace = current_schema()::regnamespace
     )`,
    { names: days.map(partitionOf) },
  );
  const missing = new Set(found.map(({ name }) => name));
  return days.filter((day) => missing.has(partitionOf(day)));
}

/**
 * Creates the partition of a day and moves the day's earlier keys into it. Returns false if there are too many. Throws
 * if the tables cannot be locked at once.
 */
export async function createPartition(db: Db, day: number): Promise<boolean> {
  const name = partitionOf(day);
  const bounds = { from: lowerBound(day), to: lowerBound(day + 1) };
  return db.transaction(async (trx) => {
    await lockPartitions(trx);
    if ((await findMissingPartitions(trx, { first: day, last: day })).length === 0) return true;
    // A statement that waits only for the keys has already read the list of partitions, and would look in the old
    // place.
    await trx.run("lock table only message_keys in access exclusive mode");
    await trx.run("lock table message_keys_default in access exclusive mode");
    if (await haveManyKeys(trx, bounds)) return false;
    // Nothing is updated in a partition, and it is dropped as a whole, so a vacuum after inserts has nothing to do.
    await trx.run(
      `create table ${name} (like message_keys including constraints including indexes)
       with (autovacuum_vacuum_insert_threshold = -1)`,
    );
    await trx.run(
      `with moved as (
         delete from message_keys_default where key >= :from::uuid and key < :to::uuid returning key
       )
       insert into ${name} (key) select key from moved`,
      bounds,
    );
    await trx.run(
      `alter table message_keys attach partition ${name} for values from ('${bounds.from}') to ('${bounds.to}')`,
    );
    return true;
  });
}

/** Whether too many keys without a partition lie between these. */
async function haveManyKeys(trx: Db, bounds: { from: string; to: string }): Promise<boolean> {
  const early = await trx.one<{ count: number }>(
    `select count(*) as count
     from (select from message_keys_default where key >= :from::uuid and key < :to::uuid limit :max::integer) as early`,
    { ...bounds, max: maxMovedKeys + 1 },
  );
  return (early?.count ?? 0) > maxMovedKeys;
}

/** Drops the partition of a day, if it has one. Throws if the tables cannot be locked at once. */
export async function dropDay(db: Db, day: number): Promise<void> {
  await db.transaction(async (trx) => {
    await lockPartitions(trx);
    await trx.run(`drop table if exists ${partitionOf(day)}`);
    await trx.run("delete from message_key_days where day = :day::integer", { day });
  });
}

/** Deletes at most `limit` keys without a partition whose days are no longer kept; returns their number. */
export async function deleteOldKeys(db: Db, { today, limit }: { today: number; limit: number }): Promise<number> {
  const kept = await db.one<{ day: number | null }>("select min(day) as day from message_key_days");
  const deleted = await db.rows(
    `delete from message_keys_default
     where key = any(array(
       select key from message_keys_default where key < :before::uuid order by key limit :limit::integer
     ))
     returning 1`,
    { before: lowerBound(Math.min(kept?.day ?? today, today)), limit },
  );
  return deleted.length;
}

/** Only one node changes partitions at a time. */
async function lockPartitions(trx: Db): Promise<void> {
  await trx.run(`set local lock_timeout = ${lockTimeoutMillis}`);
  await trx.run("select pg_advisory_xact_lock(hashtextextended('mls-relay message keys', 0))");
}

function partitionOf(day: number): string {
  return `message_keys_${new Date(day * dayMillis).toISOString().slice(0, 10).replaceAll("-", "_")}`;
}

/** The least key of a day. */
function lowerBound(day: number): string {
  return `${day.toString(16).padStart(4, "0")}0000-0000-0000-0000-000000000000`;
}
