import type { Db, Reader } from "../database/db.js";

/** An entry of the audit log, as stored. */
export interface AuditRow {
  id: string;
  /** Unix seconds. */
  timestamp: number;
  action: string;
  admin: string | null;
  target: string | null;
  details: Readonly<Record<string, unknown>>;
  ipAddress: string | null;
  userAgent: string | null;
}

export async function insertEntry(db: Db, entry: AuditRow): Promise<void> {
  await db.run(
    `insert into audit_entries (id, timestamp, action, admin, target, details, ip_address, user_agent)
     values (:id, :timestamp, :action, :admin, :target, :details::jsonb, :ipAddress, :userAgent)`,
    { ...entry, details: JSON.stringify(entry.details) },
  );
}

/** Selects entries. Null selects all. Times are Unix seconds, both inclusive. */
export interface AuditQuestion {
  since: number;
  until: number;
  action: string | null;
  /** Every spelling of one administrator; any of them matches. */
  admins: readonly string[] | null;
  adminPrefix: string | null;
  targets: readonly string[] | null;
  targetPrefix: string | null;
}

const entryColumns = `
  id, timestamp, action, admin, target, details, ip_address as "ipAddress", user_agent as "userAgent"`;

/** Leaves out unused filters so that the planner sees which index fits the rest. */
function conditionOf({ action, admins, adminPrefix, targets, targetPrefix }: AuditQuestion): string {
  return [
    "timestamp >= :since::bigint and timestamp <= :until::bigint",
    action === null ? "" : "and action = :action::text",
    admins === null ? "" : "and admin = any(:admins::text[])",
    adminPrefix === null ? "" : "and starts_with(admin, :adminPrefix)",
    targets === null ? "" : "and target = any(:targets::text[])",
    targetPrefix === null ? "" : "and starts_with(target, :targetPrefix)",
  ].join(" ");
}

export async function countEntries(db: Reader, question: AuditQuestion): Promise<number> {
  const row = await db.one<{ count: number }>(
    `select count(*) as count from audit_entries where ${conditionOf(question)}`,
    { ...question },
  );
  return row?.count ?? 0;
}

/** Some entries, the latest first. */
export async function readPage(
  db: Reader,
  question: AuditQuestion & { limit: number; offset: number },
): Promise<AuditRow[]> {
  return db.rows<AuditRow>(
    `select ${entryColumns}
     from audit_entries
     where ${conditionOf(question)}
     order by timestamp desc, id desc
     limit :limit::integer offset :offset::bigint`,
    { ...question },
  );
}

/** The position of a read from the oldest to the latest entry. */
export interface Bookmark {
  timestamp: number;
  id: string;
}

/** The next entries after a bookmark, the oldest first. */
export async function readNext(
  db: Reader,
  question: AuditQuestion & { after: Bookmark; limit: number },
): Promise<AuditRow[]> {
  const { after, ...asked } = question;
  return db.rows<AuditRow>(
    `select ${entryColumns}
     from audit_entries
     where ${conditionOf(question)} and (timestamp, id) > (:afterTimestamp::bigint, :afterId::text)
     order by timestamp, id
     limit :limit::integer`,
    { ...asked, afterTimestamp: after.timestamp, afterId: after.id },
  );
}
