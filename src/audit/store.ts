import type { Db, Reader } from "../database/db.js";
import { type FilteredList, listOf, readList, sqlPart } from "../database/filtered-list.js";

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

const entryColumns = {
  id: "id",
  timestamp: "timestamp",
  action: "action",
  admin: "admin",
  target: "target",
  details: "details",
  ipAddress: "ip_address",
  userAgent: "user_agent",
};

/** An unused filter is left out, so that the planner sees which index fits the rest. */
function entriesOf({ since, until, ...filters }: AuditQuestion): FilteredList {
  const { action, admins, adminPrefix, targets, targetPrefix } = filters;
  const list = listOf("audit_entries").whereBetween("timestamp", [since, until]);
  if (action !== null) list.where({ action });
  if (admins !== null) list.whereIn("admin", admins);
  if (adminPrefix !== null) list.where(sqlPart("starts_with(admin, ?)", adminPrefix));
  if (targets !== null) list.whereIn("target", targets);
  if (targetPrefix !== null) list.where(sqlPart("starts_with(target, ?)", targetPrefix));
  return list;
}

export async function countEntries(db: Reader, question: AuditQuestion): Promise<number> {
  const [row] = await readList<{ count: number }>(db, entriesOf(question).count({ count: "*" }));
  return row?.count ?? 0;
}

/** Some entries, the latest first. */
export async function readPage(
  db: Reader,
  { limit, offset, ...question }: AuditQuestion & { limit: number; offset: number },
): Promise<AuditRow[]> {
  const order = [
    { column: "timestamp", order: "desc" },
    { column: "id", order: "desc" },
  ];
  return readList<AuditRow>(db, entriesOf(question).select(entryColumns).orderBy(order).limit(limit).offset(offset));
}

/** The position of a read from the oldest to the latest entry. */
export interface Bookmark {
  timestamp: number;
  id: string;
}

/** The next entries after a bookmark, the oldest first. */
export async function readNext(
  db: Reader,
  { after, limit, ...question }: AuditQuestion & { after: Bookmark; limit: number },
): Promise<AuditRow[]> {
  const beyond = sqlPart("(timestamp, id) > (?, ?)", after.timestamp, after.id);
  const list = entriesOf(question).where(beyond).select(entryColumns).orderBy(["timestamp", "id"]).limit(limit);
  return readList<AuditRow>(db, list);
}
