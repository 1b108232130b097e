import type { Db, Statements } from "../database/db.js";

// All windows but those of senders, which ingest counts in its own statement, are rows of `rate_limits`. A window is fixed:
// it begins with the first event that it counts and ends after its whole length, on all nodes at once.

/** A window as the statement takes it. */
export interface WantedWindow {
  /** The keyed hash under which it is counted. */
  key: Buffer;
  /** The hash under which it may have begun; null where keys do not change. */
  earlierKey: Buffer | null;
  /** How much to count; 0 only reads. */
  cost: number;
  limit: number;
  seconds: number;
}

/** A window after the statement. */
export interface CountedWindow {
  /** The hash under which the window is stored. */
  key: Buffer;
  cost: number;
  limit: number;
  /** The sum of what has been counted. */
  used: number;
  /** When the window ends, in Unix seconds. */
  endsAt: number;
  counted: boolean;
}

/**
 * The one statement that counts in windows, as two common table expressions for a `with` clause. They count what
 * `wanted_windows` (index, key, earlier_key, cost, most, seconds) selects, in every window or, where the snapshot shows one
 * that is too full, in none. A window that fills up meanwhile is not counted, while others may be: those are given back.
 * A refusal writes nothing. Rows are locked in the order of their keys. `:now` is bound by the caller.
 */
export const countWantedWindows = `
  open_windows as materialized (
    select w.index, coalesce(earlier.key, w.key) as key, w.cost, w.most,
           coalesce(earlier.count, own.count, 0) as used,
           coalesce(earlier.expires_at, own.expires_at, :now::bigint + w.seconds) as ends_at
    from wanted_windows as w
    left join rate_limits as earlier on earlier.key = w.earlier_key and earlier.expires_at > :now::bigint
    left join rate_limits as own on own.key = w.key and own.expires_at > :now::bigint
  ),
  counted_windows as (
    insert into rate_limits as r (key, count, expires_at)
    select o.key, o.cost, o.ends_at
    from open_windows as o
    where o.cost > 0 and not exists (select from open_windows as f where f.cost > 0 and f.used + f.cost > f.most)
    order by o.key
    on conflict (key) do update
    set count = case when r.expires_at <= :now::bigint then excluded.count else r.count + excluded.count end,
        expires_at = case when r.expires_at <= :now::bigint then excluded.expires_at else r.expires_at end
    where r.expires_at <= :now::bigint
       or r.count + excluded.count <= (select o.most from open_windows as o where o.key = r.key)
    returning r.key, r.count, r.expires_at
  )`;

/** Selects the outcome of `countWantedWindows`, in the order of the windows. */
const outcome = `
  select o.key, o.cost, o.most as limit, coalesce(c.count, o.used) as used,
         coalesce(c.expires_at, o.ends_at) as "endsAt", c.key is not null as counted
  from open_windows as o
  left join counted_windows as c on c.key = o.key
  order by o.index`;

/** The same as one JSON array, null if nothing was wanted, for a statement that selects something else as well. */
export const countedWindowsAsJson = `
  select json_agg(json_build_object(
           'counted', c.key is not null, 'used', coalesce(c.count, o.used), 'limit', o.most, 'cost', o.cost,
           'endsAt', coalesce(c.expires_at, o.ends_at)) order by o.index)
  from open_windows as o
  left join counted_windows as c on c.key = o.key`;

/** Counts in windows. The caller gives back what was counted if another window was not. */
export function countInWindows(
  db: Statements,
  windows: readonly WantedWindow[],
  { now }: { now: number },
): Promise<CountedWindow[]> {
  const sql = `
    with wanted_windows as (
      select index, key, earlier_key, cost, most, seconds
      from unnest(:keys::bytea[], :earlierKeys::bytea[], :costs::bigint[], :limits::bigint[], :seconds::bigint[])
           with ordinality as w (key, earlier_key, cost, most, seconds, index)
    ),
    ${countWantedWindows}
    ${outcome}`;
  return db.rows<CountedWindow>(sql, {
    now,
    keys: windows.map(({ key }) => key),
    earlierKeys: windows.map(({ earlierKey }) => earlierKey),
    costs: windows.map(({ cost }) => cost),
    limits: windows.map(({ limit }) => limit),
    seconds: windows.map(({ seconds }) => seconds),
  });
}

/** What has been counted in the open ones of these windows. */
export function readOpenWindows(
  db: Statements,
  { keys, now }: { keys: readonly Buffer[]; now: number },
): Promise<Pick<CountedWindow, "key" | "used" | "endsAt">[]> {
  return db.rows(
    `select key, count as used, expires_at as "endsAt" from rate_limits
     where key = any(:keys::bytea[]) and expires_at > :now::bigint`,
    { keys, now },
  );
}

/** Takes back what was counted; a window may be named several times. */
export async function giveBackToWindows(
  db: Statements,
  counted: readonly Pick<CountedWindow, "key" | "cost">[],
): Promise<void> {
  const sql = `
    update rate_limits as r set count = greatest(0, r.count - w.cost)
    from (
      select key, sum(cost)::bigint as cost from unnest(:keys::bytea[], :costs::bigint[]) as c (key, cost) group by key
    ) as w
    where r.key = w.key`;
  await db.run(sql, { keys: counted.map(({ key }) => key), costs: counted.map(({ cost }) => cost) });
}

/** Deletes up to `limit` windows that have ended; returns how many. */
export async function deleteEndedWindows(db: Db, range: { now: number; limit: number }): Promise<number> {
  const sql = `
    delete from rate_limits
    where key = any(array(
      select key from rate_limits
      where expires_at <= :now::bigint order by expires_at limit :limit::integer
    )) and expires_at <= :now::bigint
    returning 1`;
  return (await db.rows(sql, range)).length;
}
