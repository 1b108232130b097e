import type { AuditService } from "../audit/service.js";
import type { Sessions } from "../auth/ended-sessions.js";
import type { Secrets } from "../auth/secrets.js";
import type { Tokens } from "../auth/tokens.js";
import type { BackupOperations } from "../backup/service.js";
import type { BlobsService } from "../blobs/service.js";
import type { Database } from "../database/db.js";
import type { DevicesService } from "../devices/service.js";
import type { FederationService } from "../federation/service.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { Clock } from "../node/clock.js";
import type { Schedule } from "../node/schedule.js";
import type { ServerConfig } from "../platform/config/server.js";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import type { PushService } from "../push/service.js";
import type { Invites } from "../registration/service.js";
import type { SettingsService } from "../settings/service.js";
import { type AdminEntry, type AdminListDeps, createAdminList } from "./admin-list.js";
import { createBackupAdministration } from "./backups.js";
import { createBlobAdministration } from "./blobs.js";
import { createAdminCallLimits } from "./call-limits.js";
import { createAdminChallenges } from "./challenges.js";
import type { AdminSettings } from "./config.js";
import { createConfiguration } from "./configuration.js";
import { createDeviceActions } from "./device-actions.js";
import { createDeviceViews, type DeviceViewsDeps } from "./device-views.js";
import { createFederationAdministration } from "./federation.js";
import { createInviteAdministration, type InviteAdministrationDeps } from "./invites.js";
import { createConsoleLinks } from "./links.js";
import { createPendingDevices } from "./pending-devices.js";
import { deleteExpiredSessions } from "./session-store.js";
import { type AdminSessionsDeps, createAdminSessions } from "./sessions.js";
import { deleteExpiredChallenges } from "./store.js";
import { createTrust, type TrustDeps } from "./trust.js";

export { type AdminEntry, type AdminList, createAdminList } from "./admin-list.js";
export type { AdminCallLimits } from "./call-limits.js";
export type { DeviceFederation } from "./device-views.js";
export { createConsoleLinks } from "./links.js";
export { type Permission, permissions } from "./permissions.js";
export { readAdminEntry, readAdminSeeds } from "./seeds.js";
export { type Admin, requireAdministrator } from "./store.js";

/** Administration: the administrators, their sessions and their actions. */
export type AdminService = ReturnType<typeof createAdminService>;

export function createAdminService(deps: {
  db: Database;
  clock: Clock;
  random: Random;
  logger: Logger;
  domain: string;
  secrets: Pick<Secrets, "get">;
  tokens: Tokens;
  sessions: Pick<Sessions, "isValid" | "revoke" | "endOfDevices">;
  settings: Pick<SettingsService, "current" | "update">;
  audit: Pick<AuditService, "record">;
  rateLimiter: Pick<RateLimiter, "count">;
  devices: Pick<
    DevicesService,
    | "resolve"
    | "known"
    | "lock"
    | "verify"
    | "unverify"
    | "setCustomLimit"
    | "list"
    | "holderOf"
    | "block"
    | "unblock"
    | "remove"
  >;
  push: Pick<PushService, "test">;
  backups: BackupOperations;
  blobs: Pick<BlobsService, "removal">;
  invites: Pick<Invites, "create" | "list" | "revoke">;
  federation: FederationService;
  poll: AdminListDeps["poll"];
  federationOf: DeviceViewsDeps["federationOf"];
  moderation: DeviceViewsDeps["moderation"];
  /** Reads the administrators that the environment names. */
  seeds: () => Promise<readonly AdminEntry[]>;
  config: AdminSettings &
    AdminSessionsDeps["config"] &
    TrustDeps["config"] &
    InviteAdministrationDeps["config"] &
    Pick<ServerConfig, "baseUrl">;
}) {
  const { db, clock } = deps;
  const list = createAdminList(deps);
  const callLimits = createAdminCallLimits(deps);
  const links = createConsoleLinks(deps);
  return {
    start: (): Promise<void> => list.start(),
    stop: (): Promise<void> => list.stop(),
    sessions: createAdminSessions({ ...deps, list, challenges: createAdminChallenges(deps), links }),
    links,
    callLimits,
    configuration: createConfiguration({ ...deps, callLimits }),
    trust: createTrust(deps),
    views: createDeviceViews(deps),
    pending: createPendingDevices(deps),
    devices: createDeviceActions(deps),
    backups: createBackupAdministration(deps),
    blobs: createBlobAdministration(deps),
    invites: createInviteAdministration(deps),
    federation: createFederationAdministration({ ...deps, callLimits }),
    /** Deletes expired challenges, sessions and links. */
    async removeExpired(): Promise<void> {
      await deleteExpiredChallenges(db, clock.nowSeconds());
      await deleteExpiredSessions(db, clock.nowSeconds());
    },
  };
}

const cleanUpEverySeconds = 600;

/** Schedules the removal of expired challenges. */
export function scheduleAdminJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  admin: { removeExpired(): Promise<void> },
): void {
  schedule.cleanUpEvery("admin.clean-up", cleanUpEverySeconds, () => admin.removeExpired());
}
