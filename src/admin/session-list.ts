import type { Principals } from "../../generated/handlers.js";
import type { AuditService } from "../audit/service.js";
import type { Sessions } from "../auth/ended-sessions.js";
import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import { RelayError } from "../protocol/errors.js";
import { auditedBy, type Caller } from "./actor.js";
import { deleteSession, readSessions, type StoredSession } from "./session-store.js";

type AdminPrincipal = Principals["admin"];

/** The sessions that an administrator may see: everyone's with the permission `all`, otherwise their own. */
export type SessionList = ReturnType<typeof createSessionList>;

const maxListed = 1_000;

export function createSessionList(deps: {
  db: Database;
  clock: Clock;
  sessions: Pick<Sessions, "revoke">;
  audit: Pick<AuditService, "record">;
}) {
  const { db, clock, sessions, audit } = deps;
  return {
    /** The latest first. */
    list: (principal: AdminPrincipal): Promise<StoredSession[]> =>
      readSessions(db, { deviceId: scopeOf(principal), now: clock.nowSeconds(), limit: maxListed }),
    /** Ends one of them; returns when (Unix seconds). Throws NOT_FOUND. */
    async end(sessionId: string, principal: AdminPrincipal, from: Caller): Promise<number> {
      await sessions.revoke(sessionId, async (trx) => {
        const deviceId = await deleteSession(trx, { sessionId, deviceId: scopeOf(principal) });
        if (deviceId === undefined) throw new RelayError("NOT_FOUND", "there is no such session");
        const by = auditedBy({ deviceId: principal.deviceId, ...from });
        await audit.record(trx, { ...by, action: "admin_session_ended", target: deviceId, details: {} });
      });
      return clock.nowSeconds();
    },
  };
}

/** Whose sessions are meant; null for everyone's. */
function scopeOf({ deviceId, permissions }: AdminPrincipal): string | null {
  return permissions.includes("all") ? null : deviceId;
}
