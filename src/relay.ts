import { createAuthentication } from "./auth/token-check.js";
import { createAuthenticators } from "./composition/authenticators.js";
import type { Config } from "./composition/config.js";
import { createHandlers } from "./composition/handlers.js";
import { createRelayHttpServer } from "./composition/http-server.js";
import { type Given, type Infrastructure, openInfrastructure } from "./composition/infrastructure.js";
import { scheduleJobs } from "./composition/jobs.js";
import { addGauges, openMetricsListener, openTracer } from "./composition/monitoring.js";
import { createServices, type Services } from "./composition/services.js";
import { createStreams } from "./composition/streams.js";
import { openAcme, openTls } from "./composition/tls.js";
import { listen } from "./http/connection/listener.js";
import type { HttpServer } from "./http/server.js";
import { localUrl } from "./platform/net/local-url.js";
import { createLifecycle, type Lifecycle } from "./process/lifecycle.js";
import type { ProvisioningService } from "./provisioning/service.js";
import type { StreamServer } from "./stream/service.js";

/** Where a relay listens. */
interface Listening {
  url: string;
  port: number;
  /** For Prometheus; null if the metrics listener is switched off. */
  metricsUrl: string | null;
  /** Nodes of the same database that ran a moment ago. */
  otherNodes: number;
}

/**
 * One process of the relay. The composition root. The parts that it puts together are in `composition/`, one file each.
 */
export function createRelay(config: Config, given: Given = {}) {
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
    /** Starts everything and listens. If it fails, it stops whatever had started. */
    async start(): Promise<Listening> {
      const infrastructure = await openInfrastructure(config, given, lifecycle);
      modules = await startModules({ config, infrastructure, lifecycle, draining: () => draining });
      const port = await listen(modules.http.server, config);
      const url = localUrl(config, port);
      await infrastructure.nodes.listensAt(url);
      const otherNodes = infrastructure.nodes.count() - 1;
      return { url, port, metricsUrl: modules.metricsUrl, otherNodes };
    },
    /** Drains: reports not ready, closes streams and lets open requests end. Then stops everything. */
    stop(): Promise<void> {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface Base {
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

/**
 * Starts the services, then the servers of streams and of HTTP in front of them, then the periodic jobs. What started last
 * stops first.
 */
async function startModules(base: Base): Promise<Modules> {
  const { infrastructure, lifecycle } = base;
  const acme = await openAcme(base);
  const services = createServices(base);
  await services.rateLimiter.prepare();
  for (const name of startOrder) await lifecycle.begin(services[name]);
  const authentication = createAuthentication(infrastructure);
  const authenticators = createAuthenticators({ ...base, services, authentication });
  const streams = createStreams({ ...base, services, authentication, authenticators });
  lifecycle.atEnd(() => streams.stop());
  const tracer = await openTracer(base);
  const tls = await openTls(base, (identity) => http.renewTls(identity));
  const handlers = createHandlers({ ...base, services });
  const http = createRelayHttpServer({ ...base, services, authenticators, handlers, tls, tracer });
  http.server.on("upgrade", (request, socket, head) => streams.handleUpgrade(request, socket, head));
  addGauges(services.metrics, { acme, infrastructure, http, streams });
  scheduleJobs({ ...base, services });
  await lifecycle.begin(infrastructure.schedule);
  // Backups stop before the schedule, because the schedule waits for running jobs.
  await lifecycle.begin(services.backups);
  const metricsUrl = await openMetricsListener(base, services.metrics);
  return { http, streams, provisioning: services.provisioning, metricsUrl };
}

/** The services that must be started, in this order; backups follow at the end. The others only answer calls. */
const startOrder = [
  "settings",
  "metrics",
  "health",
  "messages",
  "federation",
  "devices",
  "keyPackages",
  "slots",
  "blobs",
  "push",
  "provisioning",
  "moderation",
  "admin",
] as const satisfies readonly (keyof Services)[];
