import type { Statements } from "../database/db.js";
import { timelineSql } from "../database/failover.js";

/** Which course of which database this is. */
export interface DatabaseStanding {
  cluster: string;
  /** Another one after each promotion of a standby, and after a restore to a point in time. */
  timeline: string;
  /** Whether commits wait for a standby. */
  synchronous: boolean;
}

const synchronous = `current_setting('synchronous_standby_names') <> ''
  and current_setting('synchronous_commit') not in ('off', 'local')`;

/** A scalar that changes when the standing does; null in recovery. */
export const standingSql = `select ${timelineSql} || ' ' || (${synchronous})`;

/** Throws if this database does not say it, as some that only speak PostgreSQL's protocol do. Undefined in recovery. */
export async function readStanding(db: Statements): Promise<DatabaseStanding | undefined> {
  const found = await db.one<DatabaseStanding & { timeline: string | null }>(
    `select (select system_identifier::text from pg_control_system()) as cluster, ${timelineSql} as timeline,
            ${synchronous} as synchronous`,
  );
  return found?.timeline == null ? undefined : found;
}

export async function readTimeline(db: Statements): Promise<string | null> {
  const [found] = await db.rows<{ timeline: string | null }>(`select ${timelineSql} as timeline`);
  return found?.timeline ?? null;
}

/** Where the slot key was last used. Holds the row until the transaction ends; the first caller writes it. */
export async function lockKeyDatabase(trx: Statements, now: DatabaseStanding): Promise<DatabaseStanding> {
  const { cluster, timeline: current, synchronous: waits } = now;
  await trx.run(
    `insert into slot_key_database (cluster, timeline, synchronous)
     values (:cluster::text, :timeline::text, :synchronous::boolean) on conflict (one) do nothing`,
    { cluster, timeline: current, synchronous: waits },
  );
  const known = await trx.one<DatabaseStanding>(
    "select cluster, timeline, synchronous from slot_key_database for update",
  );
  return known ?? now;
}

export async function saveKeyDatabase(trx: Statements, now: DatabaseStanding): Promise<void> {
  await trx.run(
    `update slot_key_database
     set cluster = :cluster::text, timeline = :timeline::text, synchronous = :synchronous::boolean`,
    { cluster: now.cluster, timeline: now.timeline, synchronous: now.synchronous },
  );
}
