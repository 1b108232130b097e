import { readFileSync } from "node:fs";
import type { AllHandlers, OperationId, Principals } from "../generated/handlers.js";
import { bodyValidators, parameterValidators } from "../generated/request-validators.js";
import { routes, securitySchemes } from "../generated/routes.js";
import { createAdminHandlers } from "./admin/handlers.js";
import { createAdminService, readAdminSeeds, scheduleAdminJobs } from "./admin/service.js";
import { createAuditHandlers } from "./audit/handlers.js";
import { createAuditLog, createAuditService } from "./audit/service.js";
import { createScheduledBackups, scheduleBackupJobs } from "./backup/service.js";
import { createDevicesService, type ForgetDevices, scheduleDevicesJobs } from "./devices/service.js";
import { createDiscoveryHandlers } from "./discovery/handlers.js";
import { createFederationHandlers } from "./federation/handlers.js";
import { createFederationService, scheduleFederationJobs, scheduleOutboxJobs } from "./federation/service.js";
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
import { createMessagesHandlers } from "./messages/handlers.js";
import { createMailboxService, scheduleMailboxJobs } from "./messages/mailbox.js";
import { createMessagesService } from "./messages/service.js";
import { createMetricsHandlers } from "./metrics/handlers.js";
import { countAnswer, createMetricsListener, createMetricsService, scheduleMetricsJobs } from "./metrics/service.js";
import { createModerationHandlers } from "./moderation/handlers.js";
import { createModerationService, scheduleModerationJobs } from "./moderation/service.js";
import { type Authentication, createAuthentication } from "./platform/auth/authenticate.js";
import { createUsedSignatures } from "./platform/auth/used-signatures.js";
import { chain } from "./platform/concurrency/awaitable.js";
import type { Config } from "./platform/config/config.js";
import { type Given, type Infrastructure, openInfrastructure } from "./platform/infrastructure.js";
import { createLifecycle, type Lifecycle } from "./platform/lifecycle.js";
import { createMachine } from "./platform/machine.js";
import { clientIp, networkKey, parseTrustedProxies } from "./platform/net/client-ip.js";
import { packageRoot } from "./platform/package-root.js";
import { createIpBans } from "./platform/rate-limit/ip-bans.js";
import { createIpWindows } from "./platform/rate-limit/ip-windows.js";
import { createProvisioningHandlers } from "./provisioning/handlers.js";
import {
  createProvisioningService,
  type ProvisioningService,
  scheduleProvisioningJobs,
} from "./provisioning/service.js";
import { createRegistrationHandlers } from "./registration/handlers.js";
import { scheduleRegistrationJobs } from "./registration/jobs.js";
import { createProofPool, proofThreads } from "./registration/proof-pool.js";
import { createRegistrationService } from "./registration/service.js";
import { createSettingsService, readSeeds } from "./settings/service.js";
import { createStreamServer, type StreamServer } from "./stream/service.js";

/** One process of the relay. */
export interface Relay {
  /** Brings everything up and listens; what had started is stopped where it fails. */
  start(): Promise<Listening>;
  /** Drains: turns not ready, sends streams away, lets open requests end, then stops everything. */
  stop(): Promise<void>;
}

/** Where a relay listens. */
export interface Listening {
  url: string;
  port: number;
  /** For Prometheus, where that is switched on. */
  metricsUrl: string | null;
}

/** The composition root: the one place that knows every room. */
export function createRelay(config: Config, given: Given = {}): Relay {
  const lifecycle = createLifecycle();
  let draining = false;
  let rooms: Rooms | undefined;
  let stopped: Promise<void> | undefined;

  const stop = async (): Promise<void> => {
    draining = true;
    await rooms?.streams.drain();
    rooms?.provisioning.drain();
    await rooms?.http.close(config.shutdownGraceSeconds);
    await lifecycle.end();
  };

  return {
    async start() {
      const infrastructure = await openInfrastructure(config, given, lifecycle);
      rooms = await openRooms({ config, infrastructure, lifecycle, draining: () => draining });
      await rooms.http.openapiReady;
      const port = await listen(rooms.http.server, config);
      return { url: localUrl(config, port), port, metricsUrl: rooms.metricsUrl };
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface Composition {
  config: Config;
  infrastructure: Infrastructure;
  lifecycle: Lifecycle;
  draining(): boolean;
}

interface Rooms {
  http: HttpServer;
  streams: StreamServer;
  provisioning: ProvisioningService;
  metricsUrl: string | null;
}

/** Rooms first, then the doors that lead to them, then the work that comes round by itself. */
async function openRooms(composition: Composition): Promise<Rooms> {
  const { infrastructure, lifecycle } = composition;
  const services = createServices(composition);
  const { settings, metrics, health, mailbox, federation, devices, keyPackages, provisioning } = services;
  const { moderation, admin } = services;
  const basics = [settings, metrics, health, mailbox, federation];
  const rooms = [...basics, devices, keyPackages, provisioning, moderation, admin];
  for (const room of rooms) await lifecycle.begin(room);
  const authentication = createAuthentication(infrastructure);
  const doors = { ...composition, services, authentication };
  const streams = createStreams(doors);
  lifecycle.atEnd(() => streams.stop());
  keyPackages.onLow((deviceId) => void streams.keyPackagesChanged(deviceId));
  metrics.gauge("websocket_connections", () => streams.connectionCount());
  const tls = await openTls(composition, (identity) => http.renewTls(identity));
  const http = createFrontDoor({ ...doors, tls }, createHandlers(doors));
  http.server.on("upgrade", (request, socket, head) => streams.handleUpgrade(request, socket, head));
  scheduleJobs(composition, services);
  await lifecycle.begin(infrastructure.schedule);
  // Ended before the schedule, which waits for what is running.
  await lifecycle.begin(services.backups);
  return { http, streams, provisioning, metricsUrl: await openMetricsListener(composition, services) };
}

/** For Prometheus, on a port of its own that is meant for the inside of the operator's network. */
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
  });
  await lifecycle.begin(listener);
  return listener.url();
}

/** Every room's service, each handed what it uses. */
export function createServices({ config, infrastructure, lifecycle }: Omit<Composition, "draining">) {
  const shared = { ...infrastructure, domain: config.domain, config };
  const settings = createSettingsService({ ...shared, seeds: readSeeds(config.seeds) });
  const machine = createMachine();
  const metrics = createMetricsService({ ...shared, settings, machine });
  const health = createHealthService({ ...shared, settings, metrics, machine });
  const audit = createAuditService(shared);
  const ipWindows = createIpWindows(shared);
  const federation = createFederationService({
    ...{ ...shared, settings, metrics, audit, ipWindows },
    mailbox: {
      accept: (sender, envelopes, sideEffect) => mailbox.accept(sender, envelopes, sideEffect),
      keyOf: (sender, envelope) => mailbox.keyOf(sender, envelope),
    },
  });
  const mailbox = createMailboxService({ ...shared, settings, metrics, forward: federation.forward });
  const infopackages = createInfoPackagesService({ ...shared, settings, metrics, ipWindows });
  const devices = createDevicesService({
    ...shared,
    settings,
    serverUrl: config.baseUrl,
    forget: forgetIn(() => [mailbox, infopackages, keyPackages, moderation]),
    weigh: (at, ids) => mailbox.weighDevices(at, ids),
  });
  const usedSignatures = createUsedSignatures(shared);
  const keyPackages = createKeyPackagesService({ ...shared, settings, metrics, devices, usedSignatures });
  const ipBans = createIpBans(shared);
  const provisioning = createProvisioningService({ ...shared, metrics, ipWindows });
  const workers = proofThreads(config.proofWorkers);
  const proofPool = createProofPool({ ...shared, workers, queueLimit: config.proofQueueLimit });
  lifecycle.atEnd(() => proofPool.stop());
  metrics.gauge("proofs_queued", proofPool.queued);
  const registration = createRegistrationService({
    ...{ ...shared, settings, metrics, devices, ipWindows, ipBans, usedSignatures, proofPool },
    allowlistedKeys: federation.allowlistedKeys,
  });
  const messages = createMessagesService({ ...shared, settings, mailbox });
  const moderation = createModerationService({
    ...{ ...shared, settings, metrics, audit, devices, mailbox },
    origins: federation,
  });
  const admin = createAdminService({
    ...{ ...shared, settings, audit, devices, federation, moderation, invites: registration.invites },
    federationOf: mailbox.federationOf,
    seeds: () => readAdminSeeds(config),
  });
  const backups = createScheduledBackups(shared);
  const packages = { keyPackages, provisioning, infopackages, backups };
  const senders = { mailbox, messages, moderation, federation };
  const counters = [ipWindows, ipBans, usedSignatures];
  return { settings, metrics, health, devices, counters, registration, ...senders, ...packages, audit, admin };
}

/** A device goes with what each of these rooms keeps of it. */
function forgetIn(rooms: () => readonly { forgetDevices: ForgetDevices }[]): ForgetDevices {
  return async (db, ids) => {
    for (const room of rooms()) await room.forgetDevices(db, ids);
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
    ...createRegistrationHandlers({ registration, settings, domain: config.domain }),
    ...createDiscoveryHandlers({
      ...{ ...shared, settings, server: config, contracts: documentPaths },
      readiness: [() => !draining(), infrastructure.clockIsSound, services.health.isDatabaseReady],
    }),
    ...createMessagesHandlers({ messages }),
    ...createKeyPackagesHandlers({ keyPackages: services.keyPackages }),
    ...createProvisioningHandlers({ provisioning: services.provisioning, domain: config.domain }),
    ...createModerationHandlers({ moderation }),
    ...createInfopackagesHandlers({ infopackages, baseUrl: config.baseUrl }),
    ...createFederationHandlers({ federation: services.federation }),
    ...createAdminHandlers({ admin, settings }),
    ...createMonitoringHandlers(infrastructure, services, config),
  };
}

/** What administrators see of the server. */
function createMonitoringHandlers({ db, clock }: Infrastructure, services: Services, config: Config) {
  const { metrics, health, admin } = services;
  const { allowances } = admin;
  const log = createAuditLog({ db, config });
  return {
    ...createMetricsHandlers({ metrics, clock, allow: (deviceId) => allowances.take(deviceId, "metrics") }),
    ...createAuditHandlers({ log, clock, allow: (deviceId) => allowances.take(deviceId, "audit_queries") }),
    ...createHealthHandlers({ health, clock }),
  };
}

/** The listener's certificate and key, for as long as the relay runs; null where it serves plain HTTP. */
async function openTls(
  { config, infrastructure, lifecycle }: Composition,
  changed: (identity: TlsIdentity) => void,
): Promise<TlsIdentity | null> {
  const files = createTlsFiles({ files: config, changed, logger: infrastructure.logger });
  await lifecycle.begin(files);
  return files.current();
}

function createFrontDoor(
  { config, infrastructure, services, authentication, tls }: Doors & { tls: TlsIdentity | null },
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
    onAnswered: (answered) => countAnswer(services.metrics, answered),
    validateResponses: config.validateResponses,
    trustedProxies: parseTrustedProxies(config.trustedProxies),
    realm: config.domain,
    tls,
  });
}

/** A device whose limit is used up has no long body read: nothing of it would be taken. */
function beforeLongBody({ mailbox }: Services): Partial<Record<OperationId, CallerCheck>> {
  const maySend: CallerCheck = (principal) => mailbox.refuseSpent((principal as Principals["device"]).deviceId);
  return { sendMessage: maySend, sendMessageBatch: maySend };
}

/** Only what brings more into the server has to wait: polls and acknowledgements lower its load. */
function loadShedding(config: Config): Partial<Record<OperationId, LoadSheddingBounds>> {
  const { sendWaitMillis: waitMillis, sendsAlwaysTaken, batchesAlwaysTaken } = config;
  return {
    sendMessage: { waitMillis, alwaysTaken: sendsAlwaysTaken },
    sendMessageBatch: { waitMillis, alwaysTaken: batchesAlwaysTaken },
  };
}

/** Whatever a device asks for, by request or by opening its stream, shows that it is active. */
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
  const { mailbox, devices, keyPackages } = services;
  const trustedProxies = parseTrustedProxies(config.trustedProxies);
  return createStreamServer({
    ...{ ...infrastructure, mailbox, config },
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
  scheduleMailboxJobs(schedule, services.mailbox, config);
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

/** How the server is can be read when the database is not there. */
const answeredWithoutDatabase: ReadonlySet<string> = new Set<OperationId>(["getHealth", "listAlerts"]);
const cleanUpEverySeconds = 600;
const documentPaths = { openapi: "/openapi.json", asyncapi: "/asyncapi.json" };

let contract: Contract | undefined;

/** Read once in a process, since its validators are compiled once for each. */
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
