import type { Db } from "../database/db.js";

interface RevokedSession {
  sid: string;
  revoked_at: number;
  expires_at: number;
}

export interface SessionCutoff {
  subject: string;
  keep_sid: string | null;
  cutoff: number;
  expires_at: number;
}

export async function insertRevokedSession(db: Db, session: RevokedSession): Promise<void> {
  const sql = `
    insert into revoked_sessions (sid, revoked_at, expires_at)
    values (:sid::text, :revoked_at::bigint, :expires_at::bigint)
    on conflict (sid) do nothing`;
  await db.run(sql, { ...session });
}

/**
 * Ends the sessions of subjects, each listed once and in order. When sessions of a subject are ended several times within
 * one second, each call ends the sessions that began before it: its cut-off is one second later.
 */
export async function upsertCutoffs(
  db: Db,
  cutoff: Omit<SessionCutoff, "subject"> & { subjects: readonly string[] },
): Promise<void> {
  const sql = `
    insert into session_cutoffs (subject, keep_sid, cutoff, expires_at)
    select subject, :keep_sid::text, :cutoff::bigint, :expires_at::bigint
    from unnest(:subjects::text[]) as ended (subject)
    on conflict (subject) do update
    set keep_sid = excluded.keep_sid, expires_at = excluded.expires_at,
        cutoff = greatest(excluded.cutoff, session_cutoffs.cutoff + 1)`;
  await db.run(sql, { ...cutoff });
}

/** Sessions revoked since a moment whose tokens may still be alive. */
export function readRevokedSessions(db: Db, since: number, now: number): Promise<RevokedSession[]> {
  const sql = `
    select sid, revoked_at, expires_at
    from revoked_sessions
    where revoked_at >= :since::bigint and expires_at > :now::bigint`;
  return db.rows(sql, { since, now });
}

/** Changes all the time while sessions were ended since `:sessionsEndedSince`; otherwise it stays the same. */
export const endedSessionsVersion = `
  select case when exists (select from revoked_sessions where revoked_at >= :sessionsEndedSince::bigint)
                or exists (select from session_cutoffs where cutoff >= :sessionsEndedSince::bigint)
         then clock_timestamp() end`;

/** The moment up to which a subject's sessions have been ended; 0 if never. */
export async function readCutoff(db: Db, subject: string): Promise<number> {
  const sql = "select cutoff from session_cutoffs where subject = :subject::text";
  const row = await db.one<{ cutoff: number }>(sql, { subject });
  return row?.cutoff ?? 0;
}

/** Cut-offs set since a moment for which tokens may still be alive. */
export function readCutoffs(db: Db, since: number, now: number): Promise<SessionCutoff[]> {
  const sql = `
    select subject, keep_sid, cutoff, expires_at
    from session_cutoffs
    where cutoff >= :since::bigint and expires_at > :now::bigint`;
  return db.rows(sql, { since, now });
}

export async function deleteExpiredSessions(db: Db, now: number): Promise<void> {
  await db.run("delete from revoked_sessions where expires_at <= :now::bigint", { now });
  await db.run("delete from session_cutoffs where expires_at <= :now::bigint", { now });
}
