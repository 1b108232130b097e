import { type Db, rows } from "../platform/database/connection.js";

/**
 * Counts one more in a fixed window, if the limit allows it; the window begins with the first thing counted. Whoever comes
 * second waits for the first one's transaction. False where the limit is reached.
 */
export async function countInWindow(
  db: Db,
  window: { key: Buffer; now: number; expiresAt: number; limit: number },
): Promise<boolean> {
  const counted = await rows(
    db,
    `insert into key_package_windows as w (key, count, expires_at)
     values (:key::bytea, 1, :expiresAt::bigint)
     on conflict (key) do update
     set count = case when w.expires_at <= :now::bigint then 1 else w.count + 1 end,
         expires_at = case when w.expires_at <= :now::bigint then excluded.expires_at else w.expires_at end
     where w.expires_at <= :now::bigint or w.count < :limit::int
     returning count`,
    window,
  );
  return counted.length > 0;
}

/** When a window ends, Unix seconds; `undefined` where there is none. */
export async function readWindowEnd(db: Db, key: Buffer): Promise<number | undefined> {
  const [row] = await rows<{ expires_at: number }>(
    db,
    "select expires_at from key_package_windows where key = :key::bytea",
    { key },
  );
  return row?.expires_at;
}
