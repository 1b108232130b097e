import type { Principals } from "../../generated/handlers.js";
import type { AuthSettings } from "../auth/config.js";
import type { Sessions } from "../auth/ended-sessions.js";
import { type IssuedToken, invalidToken, type Tokens } from "../auth/tokens.js";
import { auditedBy, type Caller } from "./actor.js";
import { createLogin, type LoginDeps, type SessionToken } from "./login.js";
import { createSessionList } from "./session-list.js";
import { deleteSession, updateSessionExpiry } from "./session-store.js";
import type { Admin } from "./store.js";

type AdminPrincipal = Principals["admin"];

/** The sessions of administrators (specification, "Authentication"). */
export type AdminSessions = ReturnType<typeof createAdminSessions>;

export interface AdminSessionsDeps extends Omit<LoginDeps, "issueFirst" | "config"> {
  tokens: Tokens;
  sessions: Pick<Sessions, "isValid" | "revoke">;
  config: LoginDeps["config"] & Pick<AuthSettings, "adminTokenSeconds" | "adminSessionSeconds">;
}

export function createAdminSessions(deps: AdminSessionsDeps) {
  const { clock, tokens, sessions, audit, list, config } = deps;
  const issueFirst = ({ deviceId: sub }: Admin): Promise<IssuedToken> => {
    const lifetimeSeconds = Math.min(config.adminTokenSeconds, config.adminSessionSeconds);
    return tokens.issue("admin", { sub, lifetimeSeconds });
  };

  return {
    ...createSessionList(deps),
    ...createLogin({ ...deps, issueFirst }),
    /** Issues a new token of the same session. Throws INVALID_TOKEN if the session is too old. */
    async refresh({ deviceId, sessionId, authTime }: AdminPrincipal): Promise<SessionToken> {
      const notAfter = authTime + config.adminSessionSeconds;
      if (notAfter <= clock.nowSeconds()) throw invalidToken("the session is too old to be refreshed; log in again");
      const { token, claims } = await tokens.issue("admin", {
        sub: deviceId,
        sid: sessionId,
        authTime,
        lifetimeSeconds: config.adminTokenSeconds,
        notAfter,
      });
      const { expiresAt } = claims;
      await updateSessionExpiry(deps.db, { sessionId, renewedAt: clock.nowSeconds(), expiresAt });
      return { token, expiresAt };
    },
    /** Voids every token of the session, within a second on every node. */
    async logout({ deviceId, sessionId }: AdminPrincipal, from: Caller): Promise<void> {
      const entry = {
        ...auditedBy({ deviceId, ...from }),
        action: "admin_logout" as const,
        target: deviceId,
        details: {},
      };
      await sessions.revoke(sessionId, async (trx) => {
        await deleteSession(trx, { sessionId, deviceId });
        await audit.record(trx, entry);
      });
    },
    /** The holder of an admin token, with the current permissions. Throws INVALID_TOKEN. */
    async authenticate(token: string): Promise<AdminPrincipal> {
      const claims = await tokens.verify("admin", token);
      if (!(await sessions.isValid(claims))) throw invalidToken("the session was ended");
      const admin = await list.find(claims.subject);
      // An administrator who was removed and added again has to log in again.
      if (admin === undefined || claims.authTime < admin.addedAt)
        throw invalidToken("the device is no longer an administrator");
      const { subject: deviceId, sessionId, authTime, expiresAt } = claims;
      return { deviceId, sessionId, authTime, expiresAt, permissions: admin.permissions };
    },
  };
}
