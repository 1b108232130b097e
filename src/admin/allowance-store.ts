import { type Db, rows } from "../platform/database/connection.js";

type Window = { deviceId: string; kind: string };

/**
 * Counts one more in the window that is open, or opens one, if the limit allows it; undefined if not. The answer is when
 * the window began. One atomic statement.
 */
export async function countOne(
  db: Db,
  step: Window & { now: number; windowSeconds: number; limit: number },
): Promise<number | undefined> {
  const [row] = await rows<{ startedAt: number }>(
    db,
    `insert into admin_allowances as open (device_id, kind, window_started_at, count)
     values (:deviceId, :kind, :now::bigint, 1)
     on conflict (device_id, kind) do update
     set window_started_at = case when open.window_started_at + :windowSeconds::bigint <= :now::bigint
                                  then :now::bigint else open.window_started_at end,
         count = case when open.window_started_at + :windowSeconds::bigint <= :now::bigint
                      then 1 else open.count + 1 end
     where open.window_started_at + :windowSeconds::bigint <= :now::bigint or open.count < :limit::int
     returning window_started_at as "startedAt"`,
    step,
  );
  return row?.startedAt;
}

/** When the administrator's last window of a kind began. */
export async function readWindowStart(db: Db, window: Window): Promise<number | undefined> {
  const [row] = await rows<{ startedAt: number }>(
    db,
    `select window_started_at as "startedAt" from admin_allowances
     where device_id = :deviceId and kind = :kind`,
    window,
  );
  return row?.startedAt;
}

/** Forgets windows that began before a moment. */
export async function deleteWindowsBefore(db: Db, before: number): Promise<void> {
  await rows(db, "delete from admin_allowances where window_started_at <= :before::bigint", { before });
}
