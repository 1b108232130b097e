import { readFileSync } from "node:fs";
import type { AllHandlers, OperationId, Principals } from "../generated/handlers.js";
import { bodyValidators, parameterValidators } from "../generated/request-validators.js";
import { routes, securitySchemes } from "../generated/routes.js";
import { changesOf } from "./admin/configuration.js";
import { createAdminHandlers } from "./admin/handlers.js";
import { createAdminService, readAdminSeeds, scheduleAdminJobs } from "./admin/service.js";
import { createAuditHandlers } from "./audit/handlers.js";
import { type AuditService, createAuditLog, createAuditService } from "./audit/service.js";
import { createBackupCommands, createScheduledBackups, scheduleBackupJobs } from "./backup/service.js";
import { createDevicesService, type ForgetDevices, scheduleDevicesJobs } from "./devices/service.js";
import { createDiscoveryHandlers } from "./discovery/handlers.js";
import { createFederationHandlers } from "./federation/handlers.js";
import { scheduleFederationJobs } from "./federation/jobs.js";
import { scheduleOutboxJobs } from "./federation/outbox/expiry.js";
import { createFederationService } from "./federation/service.js";
import { createHealthHandlers } from "./health/handlers.js";
import { createHealthService, createLastKnown, scheduleHealthJobs } from "./health/service.js";
import { createBodyLimits } from "./http/body-limits.js";
import type { Contract } from "./http/contract.js";
import { createDocumentRoutes } from "./http/docs/routes.js";
import { listen, type TlsIdentity } from "./http/listener.js";
import type { LoadSheddingBounds } from "./http/load-shedding.js";
import type { CallerCheck } from "./http/pipeline.js";
import { createHttpServer, type HttpServer } from "./http/server.js";
import { createTlsFiles } from "./http/tls-files.js";
import { createInfopackagesHandlers } from "./infopackages/handlers.js";
import { createInfoPackagesService, scheduleInfoPackagesJobs } from "./infopackages/service.js";
import { createKeyPackagesHandlers } from "./keypackages/handlers.js";
import { createKeyPackagesService, scheduleKeyPackageJobs } from "./keypackages/service.js";
import { createLimitsHandlers } from "./limits/handlers.js";
import { createLimitsService } from "./limits/service.js";
import { createMessagesHandlers } from "./messages/handlers.js";
import { createMessagesService, scheduleMessagesJobs } from "./messages/service.js";
import { createMetricsHandlers } from "./metrics/handlers.js";
import {
  countAnswer,
  createMetricsListener,
  createMetricsService,
  type MetricsService,
  scheduleMetricsJobs,
} from "./metrics/service.js";
import { createModerationHandlers } from "./moderation/handlers.js";
import { createModerationService, scheduleModerationJobs } from "./moderation/service.js";
import { type AcmeCertificate, createAcmeCertificate } from "./platform/acme/certificate.js";
import { type Authentication, createAuthentication } from "./platform/auth/authenticate.js";
import { createUsedSignatures } from "./platform/auth/used-signatures.js";
import { chain } from "./platform/concurrency/awaitable.js";
import type { Config } from "./platform/config/config.js";
import { isRefusedWrite } from "./platform/database/connection.js";
import { type Given, type Infrastructure, openInfrastructure } from "./platform/infrastructure.js";
import { createLifecycle, type Lifecycle } from "./platform/lifecycle.js";
import { createMachine } from "./platform/machine.js";
import { clientIp, networkKey, parseTrustedProxies } from "./platform/net/client-ip.js";
import { packageRoot } from "./platform/package-root.js";
import { createIpBans } from "./platform/rate-limit/ip-bans.js";
import { createRateLimiter } from "./platform/rate-limit/rate-limiter.js";
import { createTracer, type Tracer } from "./platform/tracing/tracer.js";
import type { LimitObserver } from "./protocol/rate-limit.js";
import { createProvisioningHandlers } from "./provisioning/handlers.js";
import {
  createProvisioningService,
  type ProvisioningService,
  scheduleProvisioningJobs,
} from "./provisioning/service.js";
import { createRegistrationHandlers } from "./registration/handlers.js";
import { createProofPool, type ProofPool, proofThreads } from "./registration/proof-pool.js";
import { createRegistrationService, scheduleRegistrationJobs } from "./registration/service.js";
import { createSettingsService, readSeeds, type SettingsDeps } from "./settings/service.js";
import { createStreamServer, type StreamServer } from "./stream/service.js";

/** One process of the relay. */
export interface Relay {
  /** Starts everything and listens. If it fails, it stops whatever had started. */
  start(): Promise<Listening>;
  /** Drains: reports not ready, closes streams and lets open requests end. Then stops everything. */
  stop(): Promise<void>;
}

/** Where a relay listens. */
export interface Listening {
  url: string;
  port: number;
  /** For Prometheus; null if the metrics listener is switched off. */
  metricsUrl: string | null;
}

/** The composition root: the only file that knows every module. */
export function createRelay(config: Config, given: Given = {}): Relay {
  const lifecycle = createLifecycle();
  let draining = false;
  let modules: Modules | undefined;
  let stopped: Promise<void> | undefined;

  const stop = async (): Promise<void> => {
    draining = true;
    await modules?.streams.drain();
    modules?.provisioning.drain();
    await modules?.http.close(config.shutdownGraceSeconds);
    await lifecycle.end();
  };

  return {
    async start() {
      const infrastructure = await openInfrastructure(config, given, lifecycle);
      const acme = await openAcme({ config, infrastructure, lifecycle });
      modules = await startModules({ acme, config, infrastructure, lifecycle, draining: () => draining });
      const port = await listen(modules.http.server, config);
      return { url: localUrl(config, port), port, metricsUrl: modules.metricsUrl };
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface Composition {
  acme: AcmeCertificate | null;
  config: Config;
  infrastructure: Infrastructure;
  lifecycle: Lifecycle;
  draining(): boolean;
}

interface Modules {
  http: HttpServer;
  streams: StreamServer;
  provisioning: ProvisioningService;
  metricsUrl: string | null;
}

/** Starts the services, then the HTTP and stream servers in front of them, then the periodic jobs. */
async function startModules(composition: Composition): Promise<Modules> {
  const { infrastructure, lifecycle } = composition;
  const services = createServices(composition);
  const { settings, metrics, health, messages, federation } = services;
  const { devices, keyPackages, provisioning, moderation, admin } = services;
  const started = [
    settings,
    metrics,
    health,
    messages,
    federation,
    devices,
    keyPackages,
    provisioning,
    moderation,
    admin,
  ];
  await services.rateLimiter.prepare();
  for (const service of started) await lifecycle.begin(service);
  const authentication = createAuthentication(infrastructure);
  const doors = { ...composition, services, authentication };
  const streams = createStreams(doors);
  lifecycle.atEnd(() => streams.stop());
  keyPackages.onLow((deviceId) => void streams.keyPackagesChanged(deviceId));
  metrics.gauge("websocket_connections", () => streams.connectionCount());
  const tracer = openTracer(composition);
  await lifecycle.begin(tracer);
  const tls = await openTls(composition, (identity) => http.renewTls(identity));
  const http = createFrontDoor({ ...doors, tls, tracer }, createHandlers(doors));
  metrics.gauge("certificate_failing_at", () => composition.acme?.failingSince() ?? 0);
  metrics.gauge("wake_up_bus_gone_at", () => infrastructure.links.busGoneSince());
  metrics.gauge("untrusted_proxy_at", () => http.untrustedProxySince());
  http.server.on("upgrade", (request, socket, head) => streams.handleUpgrade(request, socket, head));
  scheduleJobs(composition, services);
  await lifecycle.begin(infrastructure.schedule);
  // Backups stop before the schedule, because the schedule waits for running jobs.
  await lifecycle.begin(services.backups);
  return { http, streams, provisioning, metricsUrl: await openMetricsListener(composition, services) };
}

/** Gets the certificate, where the relay gets it itself. Whatever reads the certificate's files starts after this. */
async function openAcme({
  config,
  infrastructure,
  lifecycle,
}: Pick<Composition, "config" | "infrastructure" | "lifecycle">): Promise<AcmeCertificate | null> {
  if (config.acmeDirectory === null) return null;
  const acme = createAcmeCertificate({ config, logger: infrastructure.logger });
  await lifecycle.begin(acme);
  return acme;
}

function openTracer({ config, infrastructure }: Composition): Tracer {
  const { nodes, logger } = infrastructure;
  return createTracer({ config, domain: config.domain, nodeId: nodes.nodeId, logger });
}

/** Serves Prometheus on a separate port, which is meant for the operator's internal network. */
async function openMetricsListener(
  { config, infrastructure, lifecycle }: Composition,
  { metrics }: Services,
): Promise<string | null> {
  const { metricsHost: host, metricsPort: port } = config;
  if (port === null) return null;
  const listener = createMetricsListener({
    host,
    port,
    logger: infrastructure.logger,
    read: metrics.export.prometheus,
    config,
  });
  await lifecycle.begin(listener);
  return listener.url();
}

/** Creates the service of every module with the dependencies that it uses. */
export function createServices({ config, infrastructure, lifecycle }: Omit<Composition, "draining" | "acme">) {
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
  const bySystem = { admin: null, ipAddress: null, userAgent: null };
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
  { config, infrastructure, lifecycle }: Omit<Composition, "draining" | "acme">,
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

export type Services = ReturnType<typeof createServices>;

interface Doors extends Composition {
  services: Services;
  authentication: Authentication;
}

/** The handlers of every tag of the contract. */
function createHandlers({ config, infrastructure, services, draining }: Doors): AllHandlers {
  const { settings, registration, messages, admin, infopackages, moderation } = services;
  const shared = { ...infrastructure, domain: config.domain, config };
  return {
    ...createRegistrationHandlers({ registration, settings, config }),
    ...createDiscoveryHandlers({
      ...shared,
      settings,
      server: config,
      contracts: documentPaths,
      readiness: [() => !draining(), infrastructure.clockIsSound, services.health.isDatabaseReady],
    }),
    ...createMessagesHandlers({ messages }),
    ...createKeyPackagesHandlers({ keyPackages: services.keyPackages }),
    ...createProvisioningHandlers({ provisioning: services.provisioning, domain: config.domain }),
    ...createLimitsHandlers({ limits: services.limits }),
    ...createModerationHandlers({ moderation }),
    ...createInfopackagesHandlers({ infopackages, baseUrl: config.baseUrl }),
    ...createFederationHandlers({ federation: services.federation }),
    ...createAdminHandlers({ admin, settings }),
    ...createMonitoringHandlers(infrastructure, services, config),
  };
}

/** The handlers of metrics, audit log and health. */
function createMonitoringHandlers({ reader, clock }: Infrastructure, services: Services, config: Config) {
  const { metrics, health, admin } = services;
  const { rateLimits } = admin;
  const log = createAuditLog({ reader, config });
  const allowing = (kind: "metrics" | "audit_queries") => (deviceId: string, observer: LimitObserver) =>
    rateLimits.take(deviceId, kind, observer).catch(ignoreRefusedWrite);
  return {
    ...createMetricsHandlers({ metrics, clock, allow: allowing("metrics") }),
    ...createAuditHandlers({ log, clock, allow: allowing("audit_queries") }),
    ...createHealthHandlers({ health, clock }),
  };
}

/** Administrators read on, uncounted, when the database's disk is full: then most of all. */
function ignoreRefusedWrite(error: unknown): void {
  if (!isRefusedWrite(error)) throw error;
}

/** Loads the listener's certificate and key, and reports changes while the relay runs; null for plain HTTP. */
async function openTls(
  { config, infrastructure, lifecycle }: Composition,
  changed: (identity: TlsIdentity) => void,
): Promise<TlsIdentity | null> {
  const files = createTlsFiles({ files: config, changed, logger: infrastructure.logger });
  await lifecycle.begin(files);
  return files.current();
}

function createFrontDoor(
  {
    config,
    infrastructure,
    services,
    authentication,
    tls,
    tracer,
  }: Doors & { tls: TlsIdentity | null; tracer: Tracer },
  handlers: AllHandlers,
): HttpServer {
  const { authenticate } = authentication;
  const admins = createLastKnown({
    clock: infrastructure.clock,
    authenticate: (token) => services.admin.sessions.authenticate(token),
    timeoutMillis: config.healthTimeoutMillis,
  });
  return createHttpServer({
    ...infrastructure,
    config,
    loadShedding: loadShedding(config),
    beforeLongBody: beforeLongBody(services),
    contract: servedContract(),
    handlers,
    authenticators: {
      device: (token) => authenticateDevice(authentication, services.devices, token),
      admin: (token, operation) =>
        answeredWithoutDatabase.has(operation) ? admins.authenticateOrRemember(token) : admins.authenticate(token),
      federation: async (token) => services.federation.callerOf(await authenticate("federation", token)),
    },
    bodyLimits: createBodyLimits(config, () => services.settings.current().server.max_message_size),
    pages: createDocumentRoutes(config),
    onAnswered(answered) {
      countAnswer(services.metrics, answered);
      tracer.record({ ...answered, route: routes[answered.operation as OperationId]?.path ?? null });
    },
    validateResponses: config.validateResponses,
    trustedProxies: parseTrustedProxies(config.trustedProxies),
    realm: config.domain,
    tls,
  });
}

/** Refuses the long body of a device or server whose rate limit is used up before the body is read. */
function beforeLongBody({ messages, federation }: Services): Partial<Record<OperationId, CallerCheck>> {
  const maySend: CallerCheck = (principal, { observer }) =>
    messages.refuseSpent((principal as Principals["device"]).deviceId, observer);
  const mayDeliver: CallerCheck = (principal, { params }) =>
    federation.checkBeforeBody({
      ...(principal as Principals["federation"]),
      pathTransactionId: params["transaction_id"],
    });
  return {
    sendMessage: maySend,
    sendMessageBatch: maySend,
    sendMessageToMany: maySend,
    deliverTransaction: mayDeliver,
  };
}

/** Sheds only the operations that add load. Polls and acknowledgements reduce it. */
function loadShedding(config: Config): Partial<Record<OperationId, LoadSheddingBounds>> {
  const { sendWaitMillis: waitMillis, sendsAlwaysTaken, batchesAlwaysTaken } = config;
  return {
    sendMessage: { waitMillis, alwaysTaken: sendsAlwaysTaken },
    sendMessageBatch: { waitMillis, alwaysTaken: batchesAlwaysTaken },
    sendMessageToMany: { waitMillis, alwaysTaken: batchesAlwaysTaken },
  };
}

/** Authenticates a device and records that it is active, for requests and streams. */
function authenticateDevice(
  authentication: Authentication,
  devices: Services["devices"],
  token: string,
): ReturnType<Authentication["authenticate"]> {
  return chain(authentication.authenticate("device", token), (holder) => {
    devices.touch(holder.deviceId);
    return holder;
  });
}

function createStreams({ config, infrastructure, services, authentication }: Doors): StreamServer {
  const { db, clock } = infrastructure;
  const { messages, devices, keyPackages } = services;
  const trustedProxies = parseTrustedProxies(config.trustedProxies);
  return createStreamServer({
    ...infrastructure,
    messages,
    config,
    authenticate: async (token) => authenticateDevice(authentication, devices, token),
    stands: authentication.stands,
    hasActiveAddress: (deviceId) => devices.hasActiveAddress(db, deviceId, clock.nowSeconds()),
    keyPackagesRemaining: (deviceId) => keyPackages.remaining(deviceId),
    networkKey: (request) => {
      const forwarded = request.headers["x-forwarded-for"];
      const chain = Array.isArray(forwarded) ? forwarded.join(",") : forwarded;
      return networkKey(clientIp(request.socket.remoteAddress ?? "", chain, trustedProxies));
    },
  });
}

function scheduleJobs({ config, infrastructure }: Composition, services: Services): void {
  const { schedule } = infrastructure;
  scheduleDevicesJobs(schedule, services.devices);
  scheduleRegistrationJobs(schedule, infrastructure);
  scheduleMessagesJobs(schedule, services.messages, config);
  scheduleFederationJobs(schedule, services.federation, config);
  scheduleOutboxJobs(schedule, services.federation.outbox, config);
  scheduleAdminJobs(schedule, services.admin);
  scheduleModerationJobs(schedule, services.moderation);
  scheduleInfoPackagesJobs(schedule, services.infopackages, config);
  scheduleKeyPackageJobs(schedule, services.keyPackages, config);
  scheduleProvisioningJobs(schedule, services.provisioning, config);
  scheduleMetricsJobs(schedule, services.metrics, config);
  scheduleHealthJobs(schedule, services.health, config);
  scheduleBackupJobs(schedule, services.backups);
  schedulePlatformJobs(infrastructure, services.counters);
}

function schedulePlatformJobs(
  { db, schedule, sessions, signingKeys }: Infrastructure,
  counters: readonly { removeExpired(db: Infrastructure["db"]): Promise<void> }[],
): void {
  schedule.cleanUpEvery("platform.clean-up", cleanUpEverySeconds, async () => {
    await sessions.removeExpired();
    await signingKeys.removeExpired();
    for (const counter of counters) await counter.removeExpired(db);
  });
}

/** Operations that work without the database. */
const answeredWithoutDatabase: ReadonlySet<string> = new Set<OperationId>(["getHealth", "listAlerts"]);
const cleanUpEverySeconds = 600;
const documentPaths = { openapi: "/openapi.json", asyncapi: "/asyncapi.json" };

let contract: Contract | undefined;

/** Reads the contract once per process, because its validators are compiled once for each object. */
function servedContract(): Contract {
  const read = () => JSON.parse(readFileSync(new URL("generated/contract.json", packageRoot()), "utf8"));
  contract ??= { openapi: read(), routes, securitySchemes, bodyValidators, parameterValidators };
  return contract;
}

function localUrl(config: Pick<Config, "host" | "tlsCertFile">, port: number): string {
  const scheme = config.tlsCertFile === null ? "http" : "https";
  const name = config.host === "0.0.0.0" || config.host === "::" ? "localhost" : config.host;
  return `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
