import { changesOf } from "../admin/configuration.js";
import { createAdminService, readAdminSeeds } from "../admin/service.js";
import { type AuditService, bySystem, createAuditService } from "../audit/service.js";
import { createUsedSignatures } from "../auth/used-signatures.js";
import { createBackupOperations, createScheduledBackups } from "../backup/service.js";
import { createBlobsService, openBlobStorage } from "../blobs/service.js";
import type { Transaction } from "../database/db.js";
import { createDevicesService, type ForgetDevices } from "../devices/service.js";
import { createFederationService } from "../federation/service.js";
import { createHealthService } from "../health/service.js";
import { createInfoPackagesService } from "../infopackages/service.js";
import { createKeyPackagesService } from "../keypackages/service.js";
import { createIpBans } from "../limits/ip-ban-store.js";
import { createRateLimiter } from "../limits/rate-limiter.js";
import { createLimitsService } from "../limits/service.js";
import { createMessagesService } from "../messages/service.js";
import { createMetricsService, type MetricsService } from "../metrics/service.js";
import { createModerationService } from "../moderation/service.js";
import type { Lifecycle } from "../process/lifecycle.js";
import { createMachine } from "../process/machine.js";
import { createProvisioningService } from "../provisioning/service.js";
import { createPushService } from "../push/service.js";
import { createProofPool, type ProofPool, proofThreads } from "../registration/proof-pool.js";
import { createRegistrationService } from "../registration/service.js";
import { createSettingsService, readSeeds, type SettingsChange, type SettingsDeps } from "../settings/service.js";
import { SlotsService } from "../slots/service.js";
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
  const { db, databaseUrl, placement, reader, clock, clockJump, random, logger, resolve } = infrastructure;
  const { secrets, ipHashes, notifications, links, nodes, poll, signingKeys, tokens, sessions } = infrastructure;
  const { domain } = config;
  const audit = createAuditService({ clock, random });
  const first = firstSettings(config, audit);
  const settings = createSettingsService({ db, clock, logger, notifications, poll, ...first });
  const machine = createMachine();
  const metrics = createMetricsService({ db, reader, clock, logger, config, nodes, settings, machine });
  const health = createHealthService({ db, clock, clockJump, logger, config, nodes, settings, metrics, machine });
  const rateLimiter = createRateLimiter({ ipHashes, secrets, clock, config });
  const federation = createFederationService({
    db,
    databaseUrl,
    placement,
    clock,
    random,
    logger,
    resolve,
    domain,
    config,
    secrets,
    tokens,
    signingKeys,
    nodes,
    notifications,
    poll,
    settings,
    metrics,
    rateLimiter,
    audit,
    messages: {
      accept: (sender, envelopes, sideEffect) => messages.accept(sender, envelopes, sideEffect),
      dedupKeyOf: (sender, envelope) => messages.dedupKeyOf(sender, envelope),
      pushFromPeer: (envelopes) => messages.pushFromPeer(envelopes),
    },
    reportOfPeer: (report) => moderation.reportOfPeer(report),
  });
  const messages = createMessagesService({
    db,
    databaseUrl,
    placement,
    clock,
    logger,
    domain,
    config,
    secrets,
    nodes,
    notifications,
    links,
    poll,
    settings,
    metrics,
    rateLimiter,
    forward: federation.forward,
    forwardOnline: federation.forwardOnline,
    waiting: (deviceIds) => push.noteWaiting(deviceIds),
  });
  const infopackages = createInfoPackagesService({ db, clock, random, config, settings, metrics, rateLimiter });
  const devices = createDevicesService({
    db,
    clock,
    logger,
    config,
    secrets,
    sessions,
    settings,
    rateLimiter,
    serverUrl: config.baseUrl,
    forget: forgetIn(() => [messages, infopackages, keyPackages, moderation, push]),
    countRows: (at, ids) => messages.countDeviceRows(at, ids),
  });
  const usedSignatures = createUsedSignatures({ clock, secrets, config });
  const keyPackages = createKeyPackagesService({
    db,
    clock,
    random,
    domain,
    federation,
    config,
    notifications,
    settings,
    metrics,
    rateLimiter,
    devices,
    usedSignatures,
  });
  const ipBans = createIpBans({ ipHashes, clock });
  const provisioning = createProvisioningService({ db, clock, random, config, notifications, metrics, rateLimiter });
  const proofPool = openProofPool({ config, infrastructure, lifecycle }, metrics);
  const registration = createRegistrationService({
    db,
    clock,
    random,
    domain,
    config,
    tokens,
    sessions,
    settings,
    metrics,
    rateLimiter,
    devices,
    ipBans,
    usedSignatures,
    proofPool,
    allowlistedKeys: federation.allowlistedKeys,
  });
  const moderation = createModerationService({
    db,
    clock,
    random,
    config,
    secrets,
    settings,
    metrics,
    audit,
    devices,
    messages,
    origins: federation,
  });
  const slots = new SlotsService({
    db,
    logger,
    audit,
    poll,
    databaseUrl,
    placement,
    clock,
    domain,
    config,
    secrets,
    settings,
    metrics,
    rateLimiter,
    devices,
    federation,
  });
  const blobs = createBlobsService({
    db,
    clock,
    random,
    logger,
    settings,
    metrics,
    rateLimiter,
    devices,
    storage: openBlobStorage(config, random),
    config,
  });
  const push = createPushService({
    db,
    clock,
    random,
    logger,
    resolve,
    baseUrl: config.baseUrl,
    config,
    secrets,
    settings,
    metrics,
    rateLimiter,
    devices,
    messages,
    hasFewPackages: async (deviceId) => (await keyPackages.remaining(deviceId)) < config.keyPackagesLowMark,
  });
  keyPackages.onLow((deviceId) => push.noteFewPackages(deviceId));
  const sources = [devices, keyPackages, provisioning, infopackages, slots, blobs.uploads, push];
  const admin = createAdminService({
    db,
    clock,
    random,
    logger,
    domain,
    config,
    secrets,
    tokens,
    sessions,
    poll,
    settings,
    rateLimiter,
    audit,
    devices,
    federation,
    moderation,
    push,
    blobs,
    invites: registration.invites,
    backups: createBackupOperations({ db, clock, config }),
    federationOf: messages.federationOf,
    seeds: () => readAdminSeeds(config),
  });
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
    slots,
    blobs,
    push,
    limits: createLimitsService({ db, clock, settings, rateLimiter, devices, messages, moderation, sources }),
    backups: createScheduledBackups({ db, databaseUrl, clock, logger, domain, config }),
    audit,
    admin,
  };
}

/** The settings that the environment gives the first start. */
function firstSettings({ seeds, preset: name }: Config, audit: AuditService): Pick<SettingsDeps, "seeds" | "preset"> {
  const note = async (trx: Transaction, preset: string, change: SettingsChange): Promise<void> => {
    const details = { preset, changes: changesOf(change) };
    await audit.record(trx, { ...bySystem, action: "config_updated", target: "configuration", details });
  };
  return { seeds: readSeeds(seeds), preset: name === null ? null : { name, note } };
}

/** Creates the pool that verifies delay proofs. It stops with the relay. */
function openProofPool(
  { config, infrastructure, lifecycle }: ServicesDeps,
  metrics: Pick<MetricsService, "gauge">,
): ProofPool {
  const proofPool = createProofPool({
    logger: infrastructure.logger,
    random: infrastructure.random,
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
