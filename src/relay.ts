import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { AllHandlers } from "../generated/handlers.js";
import { routes, securitySchemes } from "../generated/routes.js";
import { createDevicesService, scheduleDevicesJobs } from "./devices/service.js";
import { createDiscoveryHandlers } from "./discovery/handlers.js";
import { createBodyLimits } from "./http/body-limits.js";
import { createDocumentRoutes } from "./http/docs.js";
import { createHttpServer, type HttpServer } from "./http/server.js";
import { createMailboxService, scheduleMailboxJobs } from "./mailbox/service.js";
import { createMessagesHandlers } from "./messages/handlers.js";
import { createMessagesService } from "./messages/service.js";
import { scheduleMetricsJobs } from "./metrics/jobs.js";
import { createMetricsService } from "./metrics/service.js";
import type { Config } from "./platform/config.js";
import { isMigrated } from "./platform/database/migrate.js";
import { type Foundation, type Given, openFoundation } from "./platform/foundation.js";
import { clientIp, networkKey, parseTrustedProxies } from "./platform/ip.js";
import { createIpBans } from "./platform/ip-bans.js";
import { createIpWindows } from "./platform/ip-windows.js";
import { createLifecycle, type Lifecycle } from "./platform/lifecycle.js";
import { packageRoot } from "./platform/package-root.js";
import { type Claims, invalidToken, type TokenKind } from "./platform/tokens.js";
import { createRegistrationHandlers } from "./registration/handlers.js";
import { createProofPool, proofThreads } from "./registration/proof-pool.js";
import { createRegistrationService, scheduleRegistrationJobs } from "./registration/service.js";
import { createSettingsService, readSeeds } from "./settings/service.js";
import { createStreamServer, type StreamServer } from "./stream/service.js";

/** One process of the relay. */
export interface Relay {
  /** Brings everything up and listens; what had started is stopped where it fails. */
  start(): Promise<{ url: string; port: number }>;
  /** Drains: turns not ready, sends streams away, lets open requests end, then stops everything. */
  stop(): Promise<void>;
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
    await rooms?.http.close(config.shutdownGraceSeconds);
    await lifecycle.end();
  };

  return {
    async start() {
      const foundation = await openFoundation(config, given, lifecycle);
      rooms = await openRooms({ config, foundation, lifecycle, draining: () => draining });
      await rooms.http.openapiReady;
      const port = await listen(rooms.http.server, config);
      return { url: localUrl(config, port), port };
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface Rooms {
  http: HttpServer;
  streams: StreamServer;
}

interface Composition {
  config: Config;
  foundation: Foundation;
  lifecycle: Lifecycle;
  draining(): boolean;
}

async function openRooms({ config, foundation, lifecycle, draining }: Composition): Promise<Rooms> {
  const { db, schedule, clock } = foundation;
  const shared = { ...foundation, domain: config.domain, limits: config };
  const settings = createSettingsService({ ...shared, seeds: readSeeds(config.seeds) });
  const metrics = createMetricsService(shared);
  const mailbox = createMailboxService({ ...shared, settings, metrics });
  const devices = createDevicesService({
    ...shared,
    settings,
    serverUrl: config.baseUrl,
    forget: (at, ids) => mailbox.forgetDevices(at, ids),
  });
  const ipWindows = createIpWindows(shared);
  const ipBans = createIpBans(shared);
  const workers = proofThreads(config.proofWorkers);
  const proofPool = createProofPool({ ...shared, workers, queueLimit: config.proofQueueLimit });
  lifecycle.atEnd(() => proofPool.stop());
  const registration = createRegistrationService({
    ...{ ...shared, settings, metrics, devices, ipWindows, ipBans, proofPool },
    allowlistedKeys: async () => [],
  });
  const messages = createMessagesService({ ...shared, settings, mailbox, devices });
  for (const room of [settings, metrics, mailbox, devices]) await lifecycle.begin(room);

  const authenticate = createAuthentication(foundation);
  const trustedProxies = parseTrustedProxies(config.trustedProxies);
  const streams = createStreamServer({
    ...shared,
    mailbox,
    authenticate: async (token) => authenticate("device", token),
    stands: authenticate.stands,
    hasActiveAddress: (deviceId) => devices.hasActiveAddress(db, deviceId, clock.nowSeconds()),
    networkKey: (request) => {
      const forwarded = request.headers["x-forwarded-for"];
      const chain = Array.isArray(forwarded) ? forwarded.join(",") : forwarded;
      return networkKey(clientIp(request.socket.remoteAddress ?? "", chain, trustedProxies));
    },
  });
  lifecycle.atEnd(() => streams.stop());
  const handlers: AllHandlers = {
    ...createRegistrationHandlers({ registration, settings, domain: config.domain }),
    ...createDiscoveryHandlers({
      ...{ ...shared, settings, server: config, contracts: documentPaths },
      readiness: [() => !draining(), foundation.clockIsSound, () => isMigrated(db)],
    }),
    ...createMessagesHandlers({ messages }),
  };
  const http = createHttpServer({
    ...shared,
    contract: { openapi: readContract(), routes, securitySchemes },
    handlers,
    authenticators: {
      device: (token) => authenticate("device", token),
      admin: (token) => authenticate("admin", token),
      federation: async (token) => ({ domain: (await authenticate("federation", token)).deviceId }),
    },
    bodyLimits: createBodyLimits(config, () => settings.current().server.max_message_size),
    pages: createDocumentRoutes(),
    validateResponses: config.validateResponses,
    trustedProxies,
    realm: config.domain,
  });
  http.server.on("upgrade", (request, socket, head) => streams.handleUpgrade(request, socket, head));

  scheduleDevicesJobs(schedule, devices);
  scheduleRegistrationJobs(schedule, foundation);
  scheduleMailboxJobs(schedule, mailbox, config);
  scheduleMetricsJobs(schedule, metrics);
  schedulePlatformJobs(foundation, [ipWindows, ipBans]);
  await lifecycle.begin(schedule);
  return { http, streams };
}

interface Holder {
  deviceId: string;
  sessionId: string;
  authTime: number;
  expiresAt: number;
  /** The key that signed the token. */
  keyId: string;
}

interface Authentication {
  /** The holder of a token of this kind whose session stands; throws INVALID_TOKEN. */
  (kind: TokenKind, token: string): Promise<Holder>;
  /** The same question about key and session alone, answered from the copies at hand. */
  stands(holder: Omit<Holder, "expiresAt">): boolean;
}

function createAuthentication({
  tokens,
  sessions,
  signingKeys,
}: Pick<Foundation, "tokens" | "sessions" | "signingKeys">): Authentication {
  let stands: (claims: Pick<Claims, "kind" | "subject" | "sessionId" | "authTime">) => boolean = () => true;
  sessions.onEnded((standsNow) => {
    stands = standsNow;
  });
  const authenticate = async (kind: TokenKind, token: string) => {
    const claims = await tokens.verify(kind, token);
    if (!(await sessions.stands(claims))) throw invalidToken("the session has been ended");
    const { subject, sessionId, authTime, expiresAt, keyId } = claims;
    return { deviceId: subject, sessionId, authTime, expiresAt, keyId };
  };
  return Object.assign(authenticate, {
    stands: ({ keyId, ...holder }: Omit<Holder, "expiresAt">) =>
      signingKeys.stands(keyId) && stands({ kind: "device", subject: holder.deviceId, ...holder }),
  });
}

function schedulePlatformJobs(
  { db, schedule, sessions, signingKeys }: Foundation,
  counters: readonly { removeExpired(db: Foundation["db"]): Promise<void> }[],
): void {
  schedule.every("platform.clean-up", cleanUpEverySeconds, async () => {
    await sessions.removeExpired();
    await signingKeys.removeExpired();
    for (const counter of counters) await counter.removeExpired(db);
  });
}

const cleanUpEverySeconds = 600;
const documentPaths = { openapi: "/openapi.json", asyncapi: "/asyncapi.json" };

function readContract(): unknown {
  return JSON.parse(readFileSync(new URL("generated/openapi.json", packageRoot()), "utf8"));
}

function listen(server: Server, { host, port }: Pick<Config, "host" | "port">): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function localUrl(config: Pick<Config, "host" | "tlsCertFile">, port: number): string {
  const scheme = config.tlsCertFile === null ? "http" : "https";
  const name = config.host === "0.0.0.0" || config.host === "::" ? "localhost" : config.host;
  return `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
