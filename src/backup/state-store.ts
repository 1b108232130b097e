import { type Db, rows } from "../platform/database/connection.js";

/** The last backups, whichever node or command made them. Times are Unix seconds. */
export interface BackupState {
  /** Since when backups are looked for. */
  watchedSince: number;
  /** When the last one was begun by the relay; null if never. */
  startedAt: number | null;
  /** When the last one that is whole was finished. */
  finishedAt: number | null;
  bytes: number | null;
  /** Why the last one that was begun has failed; null where it has not. */
  problem: string | null;
}

export async function readBackupState(db: Db, now: number): Promise<BackupState> {
  const [state] = await rows<BackupState>(
    db,
    `insert into backup_state (watched_since) values (:now::bigint)
     on conflict (one) do update set watched_since = backup_state.watched_since
     returning watched_since as "watchedSince", started_at as "startedAt", finished_at as "finishedAt", bytes, problem`,
    { now },
  );
  return state as BackupState;
}

export async function noteBegun(db: Db, now: number): Promise<void> {
  await rows(db, "update backup_state set started_at = :now::bigint", { now });
}

export async function noteFailed(db: Db, problem: string): Promise<void> {
  await rows(db, "update backup_state set problem = :problem::text", { problem });
}

export async function noteFinished(db: Db, backup: { now: number; bytes: number }): Promise<void> {
  await rows(
    db,
    `insert into backup_state (watched_since, finished_at, bytes) values (:now::bigint, :now::bigint, :bytes::bigint)
     on conflict (one) do update set finished_at = excluded.finished_at, bytes = excluded.bytes, problem = null`,
    backup,
  );
}
