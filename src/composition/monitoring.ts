import type { AcmeCertificate } from "../certificates/acme/certificate.js";
import type { HttpServer } from "../http/server.js";
import { createMetricsListener, type MetricsService } from "../metrics/service.js";
import { createTracer, type Tracer } from "../platform/tracing/tracer.js";
import type { Lifecycle } from "../process/lifecycle.js";
import type { StreamServer } from "../stream/service.js";
import type { Config } from "./config.js";
import type { Infrastructure } from "./infrastructure.js";

interface MonitoringDeps {
  config: Config;
  infrastructure: Infrastructure;
  lifecycle: Lifecycle;
}

/** Starts to send traces of requests if a collector is configured. */
export async function openTracer({ config, infrastructure, lifecycle }: MonitoringDeps): Promise<Tracer> {
  const { nodes, logger } = infrastructure;
  const tracer = createTracer({ config, domain: config.domain, nodeId: nodes.nodeId, logger });
  await lifecycle.begin(tracer);
  return tracer;
}

/** Adds the gauges that belong to no module. Each is read when the metrics are read. */
export function addGauges(
  metrics: Pick<MetricsService, "gauge">,
  read: { acme: AcmeCertificate | null; infrastructure: Infrastructure; http: HttpServer; streams: StreamServer },
): void {
  const { acme, infrastructure, http, streams } = read;
  metrics.gauge("websocket_connections", () => streams.connectionCount());
  metrics.gauge("certificate_failing_at", () => acme?.failingSince() ?? 0);
  metrics.gauge("certificate_retry_at", () => acme?.retryAt() ?? 0);
  metrics.gauge("wake_up_bus_gone_at", () => infrastructure.links.busGoneSince());
  metrics.gauge("untrusted_proxy_at", () => http.untrustedProxySince());
  metrics.gauge("unreadable_proxy_at", () => http.unreadableProxySince());
}

/**
 * Serves Prometheus on a separate port, which is meant for the operator's internal network. Returns its URL; null if it is
 * switched off.
 */
export async function openMetricsListener(
  { config, infrastructure, lifecycle }: MonitoringDeps,
  metrics: Pick<MetricsService, "export">,
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
