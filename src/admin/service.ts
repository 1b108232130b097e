import type { Knex } from "knex";
import type { AuditService } from "../audit/service.js";
import type { DevicesService } from "../devices/service.js";
import type { FederationService } from "../federation/service.js";
import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import type { Secrets } from "../platform/secrets.js";
import type { Sessions } from "../platform/sessions.js";
import type { Tokens } from "../platform/tokens.js";
import type { Invites } from "../registration/service.js";
import type { SettingsService } from "../settings/service.js";
import { type AdminAllowances, type AllowanceLimits, createAdminAllowances } from "./allowances.js";
import { deleteExpiredChallenges } from "./challenge-store.js";
import { createAdminChallenges } from "./challenges.js";
import { type Configuration, createConfiguration } from "./configuration.js";
import { createDeviceViews, type DeviceViews, type DeviceViewsNeeds } from "./device-views.js";
import { createFederating, type Federating } from "./federating.js";
import { createInvitations, type Invitations, type InvitationsNeeds } from "./invitations.js";
import { type AdminEntry, type AdminListNeeds, createAdminList } from "./list.js";
import { type AdminSessions, type AdminSessionsNeeds, createAdminSessions } from "./sessions.js";
import { createTrust, type Trust, type TrustNeeds } from "./trust.js";

export type { AdminAllowances } from "./allowances.js";
export type { DeviceFederation } from "./device-views.js";
export { scheduleAdminJobs } from "./jobs.js";
export { type AdminEntry, type AdminList, createAdminList } from "./list.js";
export { type Permission, permissions } from "./permissions.js";
export { readAdminEntry, readAdminSeeds } from "./seeds.js";
export type { Admin } from "./store.js";

/** Administration: who may, and what they do. */
export interface AdminService {
  start(): Promise<void>;
  stop(): Promise<void>;
  sessions: AdminSessions;
  allowances: AdminAllowances;
  configuration: Configuration;
  trust: Trust;
  views: DeviceViews;
  invitations: Invitations;
  federating: Federating;
  /** Forgets used challenges and windows that are over. */
  removeExpired(): Promise<void>;
}

export interface AdminNeeds {
  db: Knex;
  clock: Clock;
  random: Random;
  logger: Logger;
  domain: string;
  secrets: Pick<Secrets, "get">;
  tokens: Tokens;
  sessions: Pick<Sessions, "stands" | "revoke">;
  settings: Pick<SettingsService, "current" | "update">;
  audit: Pick<AuditService, "record">;
  devices: Pick<DevicesService, "resolve" | "lock" | "verify" | "unverify" | "setCustomLimit">;
  invites: Pick<Invites, "create" | "list" | "revoke">;
  federation: FederationService;
  federationOf?: NonNullable<DeviceViewsNeeds["federationOf"]>;
  moderation: DeviceViewsNeeds["moderation"];
  /** The administrators whom the environment names. */
  seeds: () => Promise<readonly AdminEntry[]>;
  limits: AllowanceLimits &
    AdminListNeeds["limits"] &
    AdminSessionsNeeds["limits"] &
    TrustNeeds["limits"] &
    InvitationsNeeds["limits"] &
    Pick<Config, "adminChallengeLifetimeSeconds">;
}

export function createAdminService(needs: AdminNeeds): AdminService {
  const { db, clock } = needs;
  const list = createAdminList(needs);
  const allowances = createAdminAllowances(needs);
  return {
    start: () => list.start(),
    stop: () => list.stop(),
    sessions: createAdminSessions({ ...needs, list, challenges: createAdminChallenges(needs) }),
    allowances,
    configuration: createConfiguration({ ...needs, allowances }),
    trust: createTrust(needs),
    views: createDeviceViews(needs),
    invitations: createInvitations(needs),
    federating: createFederating({ ...needs, allowances }),
    async removeExpired() {
      await deleteExpiredChallenges(db, clock.nowSeconds());
      await allowances.removeExpired();
    },
  };
}
