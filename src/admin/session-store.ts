import type { Db } from "../database/db.js";

/** How a session began: with a signed challenge, or with a link of the operator. */
export type LoginMethod = "key" | "link";

/** A session of an administrator. Times are Unix seconds. */
export interface StoredSession {
  sessionId: string;
  deviceId: string;
  method: LoginMethod;
  beganAt: number;
  /** When its latest token was issued, and when that expires. */
  renewedAt: number;
  expiresAt: number;
  ipAddress: string;
  userAgent: string | null;
}

export async function insertSession(db: Db, session: StoredSession): Promise<void> {
  await db.run(
    `insert into admin_sessions
       (session_id, device_id, method, began_at, renewed_at, expires_at, ip_address, user_agent)
     values (:sessionId, :deviceId, :method, :beganAt::bigint, :renewedAt::bigint, :expiresAt::bigint,
             :ipAddress::text, :userAgent::text)`,
    { ...session },
  );
}

export async function updateSessionExpiry(
  db: Db,
  renewed: { sessionId: string; renewedAt: number; expiresAt: number },
): Promise<void> {
  await db.run(
    `update admin_sessions
     set renewed_at = greatest(renewed_at, :renewedAt::bigint), expires_at = greatest(expires_at, :expiresAt::bigint)
     where session_id = :sessionId`,
    renewed,
  );
}

/**
 * Deletes a session and returns its administrator; undefined if there is none, or if it does not belong to `deviceId`
 * (null: anyone).
 */
export async function deleteSession(
  db: Db,
  ended: { sessionId: string; deviceId: string | null },
): Promise<string | undefined> {
  const row = await db.one<{ device_id: string }>(
    `delete from admin_sessions
     where session_id = :sessionId and (:deviceId::text is null or device_id = :deviceId::text)
     returning device_id`,
    ended,
  );
  return row?.device_id;
}

/**
 * Lists the sessions that have a valid token, the latest first. Sessions of administrators who were removed, even if
 * they were added again, have none.
 */
export async function readSessions(
  db: Db,
  filter: { deviceId: string | null; now: number; limit: number },
): Promise<StoredSession[]> {
  return db.rows<StoredSession>(
    `select s.session_id as "sessionId", s.device_id as "deviceId", s.method, s.began_at as "beganAt",
            s.renewed_at as "renewedAt", s.expires_at as "expiresAt", s.ip_address as "ipAddress",
            s.user_agent as "userAgent"
     from admin_sessions s join admins a on a.device_id = s.device_id and a.added_at <= s.began_at
     where s.expires_at > :now::bigint and (:deviceId::text is null or s.device_id = :deviceId::text)
     order by s.began_at desc, s.session_id limit :limit::int`,
    filter,
  );
}

/** Deletes sessions without a valid token, and links that have expired. */
export async function deleteExpiredSessions(db: Db, now: number): Promise<void> {
  await db.run("delete from admin_sessions where expires_at <= :now::bigint", { now });
  await db.run("delete from admin_links where expires_at <= :now::bigint", { now });
}

export async function insertLink(
  db: Db,
  link: { codeHash: Uint8Array; deviceId: string; expiresAt: number },
): Promise<void> {
  await db.run(
    `insert into admin_links (code_hash, device_id, expires_at)
     values (:codeHash, :deviceId, :expiresAt::bigint)`,
    { ...link, codeHash: Buffer.from(link.codeHash) },
  );
}

/** Uses up a link and returns in whose name it was made; undefined if it is unknown, used or expired. */
export async function takeLink(db: Db, link: { codeHash: Uint8Array; now: number }): Promise<string | undefined> {
  const row = await db.one<{ device_id: string }>(
    "delete from admin_links where code_hash = :codeHash and expires_at > :now::bigint returning device_id",
    { now: link.now, codeHash: Buffer.from(link.codeHash) },
  );
  return row?.device_id;
}
