import type { AdminInvitesHandlers } from "../../generated/handlers.js";
import { actorOf } from "./actor.js";
import type { Invitations } from "./invitations.js";

const noStore = { "Cache-Control": "no-store" } as const;

/** Invites on the wire. */
export function createInviteHandlers(invitations: Invitations): AdminInvitesHandlers {
  return {
    async createInvite(call) {
      const { max_uses: maxUses = 1, expires_at: expiresAt, domain } = call.body;
      const made = await invitations.create({ maxUses, expiresAt, domain }, actorOf(call));
      return call.reply({
        status: 201,
        headers: noStore,
        body: {
          invite_id: made.jti,
          invite_code: made.code,
          max_uses: made.maxUses,
          domain: made.domain,
          expires_at: made.expiresAt,
          created_at: made.createdAt,
          created_by: call.principal.deviceId,
        },
      });
    },
    async listInvites(call) {
      const { limit = 100, offset = 0 } = call.query;
      const { invites, total } = await invitations.list({ limit, offset });
      const shown = invites.map((invite) => ({
        invite_id: invite.jti,
        max_uses: invite.maxUses,
        uses: invite.uses,
        domain: invite.domain,
        expires_at: invite.expiresAt,
        created_at: invite.createdAt,
        created_by: invite.createdBy,
        revoked_at: invite.revokedAt,
      }));
      return call.reply({ status: 200, body: { invites: shown, total_count: total } });
    },
    async revokeInvite(call) {
      const { invite_id: id } = call.params;
      const revokedAt = await invitations.revoke(id, actorOf(call));
      return call.reply({ status: 200, body: { invite_id: id, revoked_at: revokedAt } });
    },
  };
}
