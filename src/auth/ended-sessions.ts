import type { Database, Db, Transaction } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import { createRefreshingCache } from "../node/refreshing-cache.js";
import type { SharedPoll } from "../node/shared-poll.js";
import { type Awaitable, chain } from "../platform/concurrency/awaitable.js";
import type { Logger } from "../platform/logger.js";
import type { AuthSettings } from "./config.js";
import {
  deleteExpiredSessions,
  endedSessionsVersion,
  insertRevokedSession,
  readCutoff,
  readCutoffs,
  readRevokedSessions,
  type SessionCutoff,
  upsertCutoffs,
} from "./ended-sessions-store.js";
import type { Claims, TokenKind } from "./tokens.js";

/** Which sessions have been ended before their tokens expire. */
export type Sessions = ReturnType<typeof createSessions>;

type SessionClaims = Pick<Claims, "kind" | "subject" | "sessionId" | "authTime">;

/** Rows may be committed this much later than their timestamp, so each read goes back a little. */
const overlapSeconds = 60;

/**
 * Few sessions are ended, so every node keeps all of them in memory. It looks for new ones about once a second, and
 * reads them until the last ones are older than the overlap. An entry is removed when no token of the session can still
 * be alive.
 */
export function createSessions(deps: {
  db: Database;
  clock: Clock;
  logger: Logger;
  poll: Pick<SharedPoll, "follow" | "ask" | "onFailover">;
  config: Pick<AuthSettings, "deviceSessionSeconds" | "adminSessionSeconds" | "retiredKeySeconds">;
}) {
  const { db, clock, config } = deps;
  const ended = new Map<string, number>();
  const cutoffs = new Map<string, SessionCutoff>();
  const listeners: ((isValid: (claims: SessionClaims) => boolean) => void)[] = [];
  let readUpTo = 0;

  const isValid = (claims: SessionClaims): boolean => {
    if (ended.has(claims.sessionId)) return false;
    const cutoff = cutoffs.get(subjectKey(claims.kind, claims.subject));
    return cutoff === undefined || claims.authTime > cutoff.cutoff || claims.sessionId === cutoff.keep_sid;
  };
  const read = async (): Promise<void> => {
    const now = clock.nowSeconds();
    const since = readUpTo - overlapSeconds;
    let changed = false;
    for (const row of await readRevokedSessions(db, since, now)) {
      changed ||= !ended.has(row.sid);
      ended.set(row.sid, row.expires_at);
    }
    for (const row of await readCutoffs(db, since, now)) {
      changed ||= cutoffs.get(row.subject)?.cutoff !== row.cutoff;
      cutoffs.set(row.subject, row);
    }
    readUpTo = now;
    forgetExpired(ended, cutoffs, now);
    if (changed) for (const listener of listeners) listener(isValid);
  };
  const copy = createRefreshingCache({
    name: "ended sessions",
    version: { sql: endedSessionsVersion, bindings: () => ({ sessionsEndedSince: readUpTo - overlapSeconds }) },
    poll: deps.poll,
    logger: deps.logger,
    read,
  });
  return {
    start: (): Promise<void> => copy.start(),
    stop: (): Promise<void> => copy.stop(),
    /** Whether the session has not been ended, according to a copy that is at most one second old. */
    isValid: (claims: Pick<Claims, "kind" | "subject" | "sessionId" | "authTime">): Awaitable<boolean> =>
      chain(copy.ensure(), () => isValid(claims)),
    /** Ends one session; its record is written in the same transaction. */
    async revoke(sessionId: string, note?: (trx: Transaction) => Promise<void>): Promise<void> {
      const now = clock.nowSeconds();
      await db.transaction(async (trx) => {
        await insertRevokedSession(trx, { sid: sessionId, revoked_at: now, expires_at: lastExpiry(now, config) });
        await note?.(trx);
      });
      await copy.refresh();
    },
    /**
     * The start time, in Unix seconds, of a session that begins now: one second later than now if sessions of the subject
     * were ended within this second on any node, so that the new session is not mistaken for an ended one.
     */
    // Read from the database, because the copy may lack sessions that another node has just ended.
    beginning: async (subject: string, kind: TokenKind = "device"): Promise<number> =>
      Math.max(clock.nowSeconds(), 1 + (await readCutoff(db, subjectKey(kind, subject)))),
    /** Ends every session of a subject that began up to now, except one (null: no exception). */
    async revokeOthers(subject: string, keepSessionId: string | null, kind: TokenKind = "device"): Promise<void> {
      const subjects = [subjectKey(kind, subject)];
      await upsertCutoffs(db, { subjects, keep_sid: keepSessionId, ...cutoffNow(clock, config) });
      await copy.refresh();
    },
    /** Ends every session of removed devices in the caller's transaction; every node follows within a second. */
    async endOfDevices(trx: Db, deviceIds: readonly string[]): Promise<void> {
      const subjects = deviceIds.map((deviceId) => subjectKey("device", deviceId)).sort();
      await upsertCutoffs(trx, { subjects, keep_sid: null, ...cutoffNow(clock, config) });
      // If this fails, the next refresh of the copy reads it.
      trx.afterCommit(() => void copy.refresh().catch(() => undefined));
    },
    /** Calls a listener when sessions have ended, so that it can close connections whose session is no longer valid. */
    onEnded: (listener: (isValid: (claims: SessionClaims) => boolean) => void): void => void listeners.push(listener),
    removeExpired: (): Promise<void> => deleteExpiredSessions(db, clock.nowSeconds()),
  };
}

type Lifetimes = Pick<AuthSettings, "deviceSessionSeconds" | "adminSessionSeconds" | "retiredKeySeconds">;

function cutoffNow(clock: Clock, config: Lifetimes): { cutoff: number; expires_at: number } {
  const now = clock.nowSeconds();
  return { cutoff: now, expires_at: lastExpiry(now, config) };
}

/** No token of a session that began before `now` is alive after this. */
function lastExpiry(now: number, config: Lifetimes): number {
  return now + Math.max(config.deviceSessionSeconds, config.adminSessionSeconds, config.retiredKeySeconds);
}

/** A device may also be an admin; ending its device sessions does not end its admin sessions. */
function subjectKey(kind: TokenKind, subject: string): string {
  return `${kind}:${subject}`;
}

function forgetExpired(ended: Map<string, number>, cutoffs: Map<string, SessionCutoff>, now: number): void {
  for (const [sid, expiresAt] of ended) if (expiresAt <= now) ended.delete(sid);
  for (const [subject, row] of cutoffs) if (row.expires_at <= now) cutoffs.delete(subject);
}
