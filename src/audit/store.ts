import { type Db, rows } from "../platform/database/connection.js";

/** One line of the audit log as it is kept. */
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
  await rows(
    db,
    `insert into audit_entries (id, timestamp, action, admin, target, details, ip_address, user_agent)
     values (:id, :timestamp, :action, :admin, :target, :details::jsonb, :ipAddress, :userAgent)`,
    { ...entry, details: JSON.stringify(entry.details) },
  );
}
