import { type Db, rows } from "../../platform/database/connection.js";

/** When the window of a registrable domain began; undefined where nothing was counted. */
export async function readWindowStart(db: Db, registrable: string): Promise<number | undefined> {
  const [open] = await rows<{ startedAt: number }>(
    db,
    `select window_started_at as "startedAt" from federation_windows where registrable = :registrable::text`,
    { registrable },
  );
  return open?.startedAt;
}

export async function deleteOldWindows(db: Db, startedBefore: number): Promise<void> {
  await rows(db, "delete from federation_windows where window_started_at < :startedBefore::bigint", { startedBefore });
}
