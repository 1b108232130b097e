import { type Db, rows } from "../platform/database/connection.js";
import type { LevelName } from "./names.js";

/** What was counted at a moment (Unix seconds), and how long the counting took. */
export interface SnapshotTaken {
  takenAt: number;
  millis: number;
  levels: Readonly<Record<LevelName, number>>;
}

export async function readSnapshot(db: Db): Promise<SnapshotTaken | undefined> {
  const [row] = await rows<SnapshotTaken>(db, `select taken_at as "takenAt", millis, levels from census`);
  return row;
}

/** Keeps a census unless a later one is kept already. */
export async function putSnapshot(db: Db, snapshot: SnapshotTaken): Promise<void> {
  await rows(
    db,
    `insert into census (taken_at, millis, levels)
     values (:takenAt::bigint, :millis::double precision, :levels::jsonb)
     on conflict (one) do update
     set taken_at = excluded.taken_at, millis = excluded.millis, levels = excluded.levels
     where census.taken_at <= excluded.taken_at`,
    { ...snapshot, levels: JSON.stringify(snapshot.levels) },
  );
}
