import type {
  AdminBackupsHandlers,
  AdminBlobsHandlers,
  AdminConfigHandlers,
  AdminFederationHandlers,
  AdminInvitesHandlers,
  AdminSessionsHandlers,
  AdminTrustHandlers,
} from "../../generated/handlers.js";
import type { SettingsService } from "../settings/service.js";
import { actorOf, auditedBy } from "./actor.js";
import { showCreatedInvite, showInvite } from "./answers.js";
import type { BackupAdministration } from "./backups.js";
import type { BlobAdministration } from "./blobs.js";
import type { Configuration } from "./configuration.js";
import { createFederationAdminHandlers } from "./federation-handlers.js";
import type { InviteAdministration } from "./invites.js";
import type { AdminService } from "./service.js";
import type { SessionList } from "./session-list.js";
import type { AdminSessions } from "./sessions.js";
import { createTrustHandlers } from "./trust-handlers.js";

type AdminHandlers = AdminSessionsHandlers &
  AdminConfigHandlers &
  AdminTrustHandlers &
  AdminInvitesHandlers &
  AdminFederationHandlers &
  AdminBackupsHandlers &
  AdminBlobsHandlers;

/** Administration on the wire. */
export function createAdminHandlers(deps: {
  admin: AdminService;
  settings: Pick<SettingsService, "current">;
}): AdminHandlers {
  const { admin, settings } = deps;
  return {
    ...createSessionHandlers(admin.sessions),
    ...createConfigHandlers({ settings, configuration: admin.configuration }),
    ...createTrustHandlers(admin),
    ...createInviteHandlers(admin.invites),
    ...createFederationAdminHandlers(admin.federation),
    ...createBackupHandlers(admin.backups),
    ...createBlobHandlers(admin.blobs),
  };
}

const noStore = { "Cache-Control": "no-store" } as const;

/** The sessions of administrators on the wire. */
function createSessionHandlers(sessions: AdminSessions): AdminSessionsHandlers {
  return {
    ...createSessionListHandlers(sessions),
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
        ip,
        userAgent,
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
    async loginWithLink(call) {
      const { body, ip, userAgent } = call;
      const login = await sessions.loginWithLink(body.code, { ip, userAgent });
      return call.reply({
        status: 200,
        headers: noStore,
        body: {
          device_id: login.deviceId,
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

/** The list of sessions on the wire. */
function createSessionListHandlers(
  sessions: SessionList,
): Pick<AdminSessionsHandlers, "listAdminSessions" | "endAdminSession"> {
  return {
    async listAdminSessions(call) {
      const shown = (await sessions.list(call.principal)).map((session) => ({
        session_id: session.sessionId,
        device_id: session.deviceId,
        method: session.method,
        began_at: session.beganAt,
        renewed_at: session.renewedAt,
        expires_at: session.expiresAt,
        ip_address: session.ipAddress,
        user_agent: session.userAgent,
        current: session.sessionId === call.principal.sessionId,
      }));
      return call.reply({ status: 200, body: { sessions: shown } });
    },
    async endAdminSession(call) {
      const { ip, userAgent } = call;
      const { session_id } = call.params;
      const ended_at = await sessions.end(session_id, call.principal, { ip, userAgent });
      return call.reply({ status: 200, body: { session_id, ended_at } });
    },
  };
}

/** The configuration on the wire, spelled as in the settings. */
function createConfigHandlers(deps: {
  settings: Pick<SettingsService, "current">;
  configuration: Configuration;
}): AdminConfigHandlers {
  const { settings, configuration } = deps;
  return {
    async getConfig(call) {
      return call.reply({ status: 200, body: settings.current() });
    },
    async updateConfig(call) {
      const { updatedAt, updatedFields } = await configuration.update(call.body, actorOf(call), call);
      return call.reply({
        status: 200,
        body: {
          config_updated_at: updatedAt,
          updated_by: call.principal.deviceId,
          updated_fields: updatedFields,
          requires_restart: false,
        },
      });
    },
  };
}

/** Backups on the wire. */
function createBlobHandlers(blobs: BlobAdministration): AdminBlobsHandlers {
  return {
    async removeBlob(call) {
      await blobs.delete(call.params.blob_id, auditedBy(actorOf(call)));
      return call.reply({ status: 200, body: { deleted: true } });
    },
  };
}

function createBackupHandlers(backups: BackupAdministration): AdminBackupsHandlers {
  return {
    async listBackups(call) {
      const { schedule, state, history } = await backups.list();
      const shown = history.map((backup) => ({
        started_at: backup.startedAt,
        finished_at: backup.finishedAt,
        origin: backup.origin,
        file: backup.file,
        bytes: backup.bytes,
        problem: backup.problem,
      }));
      return call.reply({
        status: 200,
        body: {
          schedule: {
            enabled: schedule.enabled,
            every_seconds: schedule.everySeconds,
            keep: schedule.keep,
            encrypted: schedule.encrypted,
          },
          requested_at: state.requestedAt,
          running_since: state.runningSince,
          backups: shown,
        },
      });
    },
    async startBackup(call) {
      return call.reply({ status: 202, body: { requested_at: await backups.request(actorOf(call)) } });
    },
  };
}

/** Invites on the wire. */
function createInviteHandlers(invites: InviteAdministration): AdminInvitesHandlers {
  return {
    async createInvite(call) {
      const { max_uses: maxUses = 1, expires_at: expiresAt, domain } = call.body;
      const made = await invites.create({ maxUses, expiresAt, domain }, actorOf(call));
      return call.reply({
        status: 201,
        headers: noStore,
        body: showCreatedInvite(made, call.principal.deviceId),
      });
    },
    async listInvites(call) {
      const { limit = 100, offset = 0 } = call.query;
      const { invites: listed, total } = await invites.list({ limit, offset });
      return call.reply({ status: 200, body: { invites: listed.map(showInvite), total_count: total } });
    },
    async revokeInvite(call) {
      const { invite_id: id } = call.params;
      const revokedAt = await invites.revoke(id, actorOf(call));
      return call.reply({ status: 200, body: { invite_id: id, revoked_at: revokedAt } });
    },
  };
}
