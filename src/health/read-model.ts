import { type Db, rows } from "../platform/database/connection.js";

// Short queries on the tables of other modules, by which health and alerts are evaluated in addition to the metrics.

/** The simplest question there is. */
export async function askDatabase(db: Db): Promise<void> {
  await rows(db, "select 1 as answer");
}

/** When the message that should have left its queue first was to expire, in Unix seconds; null where none is. */
export async function readFirstExpiry(db: Db): Promise<number | null> {
  const [row] = await rows<{ expires_at: number | null }>(
    db,
    "-- every shard\nselect min(expires_at) as expires_at from messages",
  );
  return row?.expires_at ?? null;
}

/** A table with many dead rows, as the database's own statistics have it. */
export interface DeadRows {
  table: string;
  dead: number;
  live: number;
}

export async function readDeadRows(db: Db, least: { rows: number; percent: number }): Promise<DeadRows[]> {
  return rows<DeadRows>(
    db,
    `select relname as table, n_dead_tup as dead, n_live_tup as live
     from pg_stat_user_tables
     where n_dead_tup >= :rows::bigint
       and n_dead_tup * 100 >= :percent::bigint * (n_dead_tup + n_live_tup)
     order by n_dead_tup desc
     limit 20`,
    least,
  );
}

/** What info packages without an uploader take together. */
export async function readAnonymousBytes(db: Db): Promise<number> {
  const [row] = await rows<{ bytes: number }>(db, "select anonymous_bytes as bytes from info_package_balance");
  return row?.bytes ?? 0;
}

/** A server that messages wait for. */
export interface WaitingServer {
  domain: string;
  messages: number;
  /** Attempts to reach it that have failed since the last that did not. */
  failures: number;
  /** When the oldest of the messages was accepted, in Unix seconds. */
  oldestAt: number;
}

/** The servers that messages wait for, the longest waiting first. */
export async function readWaitingServers(db: Db): Promise<WaitingServer[]> {
  return rows<WaitingServer>(
    db,
    `select d.domain, d.messages, d.failures, oldest.accepted_at as "oldestAt"
     from outbox_destinations as d
     cross join lateral (
       select o.accepted_at from outbox as o where o.domain = d.domain order by o.position limit 1
     ) as oldest
     where d.messages > 0
     order by oldest.accepted_at
     limit 10000`,
  );
}

/** What is known of backups. Times are Unix seconds. */
export interface LastBackup {
  watchedSince: number;
  finishedAt: number | null;
  /** Why the last one that was begun has failed; null where it has not. */
  problem: string | null;
}

export async function readLastBackup(db: Db): Promise<LastBackup | undefined> {
  const [found] = await rows<LastBackup>(
    db,
    `select watched_since as "watchedSince", finished_at as "finishedAt", problem from backup_state`,
  );
  return found;
}
