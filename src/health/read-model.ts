import type { Database, Db } from "../database/db.js";

// Short queries on the tables of other modules, by which health and alerts are evaluated in addition to the metrics.

/** The simplest possible query. */
export async function askDatabase(db: Db): Promise<void> {
  await db.run("select 1 as answer");
}

/** As PostgreSQL numbers it: 180004 is 18.4. */
export async function readServerVersion(db: Db): Promise<number> {
  const row = await db.one<{ number: number }>("select current_setting('server_version_num')::integer as number");
  return row?.number ?? 0;
}

/** When the message that should have left its queue first was to expire, in Unix seconds; null if none is. */
export async function readFirstExpiry(db: Db): Promise<number | null> {
  const row = await db.one<{ expires_at: number | null }>(
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

export async function readDeadRows(db: Database, min: { rows: number; percent: number }): Promise<DeadRows[]> {
  return db.rows<DeadRows>(
    `select name as table, sum(dead)::bigint as dead, sum(live)::bigint as live
     from (${db.placement.tableStatistics}) as s
     group by name
     having sum(dead) >= :rows::bigint and sum(dead) * 100 >= :percent::bigint * sum(dead + live)
     order by sum(dead) desc
     limit 20`,
    min,
  );
}

/** What info packages without an uploader take together. */
export async function readAnonymousBytes(db: Db): Promise<number> {
  const row = await db.one<{ bytes: number }>("select anonymous_bytes as bytes from info_package_balance");
  return row?.bytes ?? 0;
}

/** A server that messages wait for. */
export interface WaitingServer {
  domain: string;
  messages: number;
  /** Failed attempts to reach it since the last success. */
  failures: number;
  /** When the oldest of the messages was accepted, in Unix seconds. */
  oldestAt: number;
}

/** The servers that messages wait for, the longest waiting first. */
export async function readWaitingServers(db: Db): Promise<WaitingServer[]> {
  return db.rows<WaitingServer>(
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

/** A server that refuses messages, or whose answers do not show whether it has accepted them. */
export interface RefusingServer {
  domain: string;
  messages: number;
  /** Its answer to the messages that were refused first. */
  problem: string;
  /** Since when, in Unix seconds. */
  since: number;
}

/** The servers that refuse messages, the longest refusing first. */
export async function readRefusingServers(db: Db): Promise<RefusingServer[]> {
  return db.rows<RefusingServer>(
    `select domain, sum(cardinality(positions))::bigint as messages, min(delayed_at) as since,
            (array_agg(problem order by delayed_at))[1] as problem
     from outbox_transactions
     where due_millis is not null
     group by domain
     order by min(delayed_at)
     limit 10000`,
  );
}

/** What is known of backups. Times are Unix seconds. */
export interface LastBackup {
  watchedSince: number;
  finishedAt: number | null;
  /** Why the last one that was begun has failed; null if it has not. */
  problem: string | null;
}

export async function readLastBackup(db: Db): Promise<LastBackup | undefined> {
  const found = await db.one<LastBackup>(
    `select watched_since as "watchedSince", finished_at as "finishedAt", problem from backup_state`,
  );
  return found;
}
