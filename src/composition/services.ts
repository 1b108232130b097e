import { changesOf } from "../admin/configuration.js";
import { createAdminService, readAdminSeeds } from "../admin/service.js";
import { type AuditService, bySystem, createAuditService } from "../audit/service.js";
import { createUsedSignatures } from "../auth/used-signatures.js";
import { createBackupCommands, createScheduledBackups } from "../backup/service.js";
import { createDevicesService, type ForgetDevices } from "../devices/service.js";
import { createFederationService } from "../federation/service.js";
import { createHealthService } from "../health/service.js";
import { createInfoPackagesService } from "../infopackages/service.js";
import { createKeyPackagesService } from "../keypackages/service.js";
import { createLimitsService } from "../limits/service.js";
import { createMessagesService } from "../messages/service.js";
import { createMetricsService, type MetricsService } from "../metrics/service.js";
import { createModerationService } from "../moderation/service.js";
import type { Lifecycle } from "../platform/lifecycle.js";
import { createMachine } from "../platform/machine.js";
import { createProvisioningService } from "../provisioning/service.js";
import { createIpBans } from "../rate-limit/ip-bans.js";
import { createRateLimiter } from "../rate-limit/rate-limiter.js";
import { createProofPool, type ProofPool, proofThreads } from "../registration/proof-pool.js";
import { createRegistrationService } from "../registration/service.js";
import { createSettingsService, readSeeds, type SettingsDeps } from "../settings/service.js";
import type { Config } from "./config.js";
import type { Infrastructure } from "./infrastructure.js";

export type Services = ReturnType<typeof createServices>;

export interface ServicesDeps {
  config: Config;
  infrastructure: Infrastructure;
  lifecycle: Lifecycle;
}

/** Creates the service of every module with the dependencies that it uses. */
export function createServices({ config, infrastructure, lifecycle }: ServicesDeps) {
  const shared = { ...infrastructure, domain: config.domain, config };
  const audit = createAuditService(shared);
  const settings = createSettingsService({ ...shared, ...firstSettings(config, audit) });
  const machine = createMachine();
  const metrics = createMetricsService({ ...shared, settings, machine });
  const health = createHealthService({ ...shared, settings, metrics, machine });
  const rateLimiter = createRateLimiter(shared);
  const core = { ...shared, settings, metrics, rateLimiter };
  const federation = createFederationService({
    ...core,
    audit,
    messages: {
      accept: (sender, envelopes, sideEffect) => messages.accept(sender, envelopes, sideEffect),
      dedupKeyOf: (sender, envelope) => messages.dedupKeyOf(sender, envelope),
    },
  });
  const messages = createMessagesService({ ...core, forward: federation.forward });
  const infopackages = createInfoPackagesService(core);
  const devices = createDevicesService({
    ...core,
    serverUrl: config.baseUrl,
    forget: forgetIn(() => [messages, infopackages, keyPackages, moderation]),
    weigh: (at, ids) => messages.weighDevices(at, ids),
  });
  const usedSignatures = createUsedSignatures(shared);
  const keyPackages = createKeyPackagesService({ ...core, devices, usedSignatures });
  const ipBans = createIpBans(shared);
  const provisioning = createProvisioningService(core);
  const proofPool = openProofPool({ config, infrastructure, lifecycle }, metrics);
  const registration = createRegistrationService({
    ...core,
    devices,
    ipBans,
    usedSignatures,
    proofPool,
    allowlistedKeys: federation.allowlistedKeys,
  });
  const moderation = createModerationService({ ...core, audit, devices, messages, origins: federation });
  const sources = [devices, keyPackages, provisioning, infopackages];
  const { invites } = registration;
  const [backups, { federationOf }] = [createBackupCommands(shared), messages];
  const seeds = () => readAdminSeeds(config);
  const among = { audit, devices, federation, moderation, invites, backups };
  const admin = createAdminService({ ...core, ...among, federationOf, seeds });
  return {
    settings,
    metrics,
    health,
    devices,
    rateLimiter,
    counters: [rateLimiter, ipBans, usedSignatures],
    registration,
    messages,
    moderation,
    federation,
    keyPackages,
    provisioning,
    infopackages,
    limits: createLimitsService({ ...core, devices, messages, moderation, sources }),
    backups: createScheduledBackups(shared),
    audit,
    admin,
  };
}

/** The settings that the environment gives to the first start. */
function firstSettings(
  { seeds, preset }: Config,
  audit: AuditService,
): Pick<SettingsDeps, "seeds" | "preset" | "notePreset"> {
  return {
    seeds: readSeeds(seeds),
    preset,
    async notePreset(trx, name, change) {
      const details = { preset: name, changes: changesOf(change) };
      await audit.record(trx, { ...bySystem, action: "config_updated", target: "configuration", details });
    },
  };
}

/** Creates the pool that verifies proofs of delay. It stops with the relay. */
function openProofPool(
  { config, infrastructure, lifecycle }: ServicesDeps,
  metrics: Pick<MetricsService, "gauge">,
): ProofPool {
  const proofPool = createProofPool({
    ...infrastructure,
    workers: proofThreads(config.proofWorkers),
    queueLimit: config.proofQueueLimit,
  });
  lifecycle.atEnd(() => proofPool.stop());
  metrics.gauge("proofs_queued", proofPool.queued);
  return proofPool;
}

/** Deletes the rows that each of these modules keeps about devices. */
function forgetIn(services: () => readonly { forgetDevices: ForgetDevices }[]): ForgetDevices {
  return async (db, ids) => {
    for (const service of services()) await service.forgetDevices(db, ids);
  };
}
