import type { AdminSessionsHandlers } from "../../generated/handlers.js";
import type { AdminSessions } from "./sessions.js";

const noStore = { "Cache-Control": "no-store" } as const;

/** Administrators' sessions on the wire. */
export function createSessionHandlers(sessions: AdminSessions): AdminSessionsHandlers {
  return {
    async getAdminChallenge(call) {
      const { challenge, expiresAt } = await sessions.challenge();
      return call.reply({ status: 200, headers: noStore, body: { challenge, expires_at: expiresAt } });
    },
    async loginAdmin(call) {
      const { body, ip, userAgent } = call;
      const login = await sessions.login({
        deviceId: body.device_id,
        challenge: body.challenge,
        signature: body.challenge_signature,
        timestamp: body.timestamp,
        audience: body.audience,
        ...{ ip, userAgent },
      });
      return call.reply({
        status: 200,
        headers: noStore,
        body: {
          admin_token: login.token,
          expires_at: login.expiresAt,
          permissions: [...login.permissions],
          admin_level: login.level,
        },
      });
    },
    async refreshAdminToken(call) {
      const { token, expiresAt } = await sessions.refresh(call.principal);
      return call.reply({ status: 200, headers: noStore, body: { admin_token: token, expires_at: expiresAt } });
    },
    async logoutAdmin(call) {
      const { ip, userAgent } = call;
      await sessions.logout(call.principal, { ip, userAgent });
      return call.reply({ status: 200, body: { message: "logged out" } });
    },
  };
}
