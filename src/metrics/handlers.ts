import type { AdminMetricsHandlers, Call } from "../../generated/handlers.js";
import type { components } from "../../generated/openapi-types.js";
import { interfaceVersion } from "../../generated/routes.js";
import type { Clock } from "../node/clock.js";
import { invalidMember } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { Exported } from "./catalogue.js";
import { isSeries } from "./names.js";
import type { OverviewRead } from "./overview.js";
import { fineSeconds } from "./resolutions.js";
import type { DataPoint, MetricsService } from "./service.js";

type Schemas = components["schemas"];

const periods = { "1h": hourSeconds, "24h": daySeconds, "7d": 7 * daySeconds, "30d": 30 * daySeconds } as const;
const intervals = { "5m": fineSeconds, "1h": hourSeconds, "1d": daySeconds } as const;
const megabyte = 1_000_000;
const gigabyte = 1_000_000_000;

/** Metrics on the wire. */
export function createMetricsHandlers(deps: {
  metrics: MetricsService;
  clock: Clock;
  /** Counts an administrator's query; throws RATE_LIMIT_EXCEEDED. */
  allow: (deviceId: string, observer: LimitObserver) => Promise<void>;
}): AdminMetricsHandlers {
  const { metrics, clock, allow } = deps;
  return {
    async getMetrics(call) {
      await allow(call.principal.deviceId, call);
      const { period = "24h" } = call.query;
      await metrics.flushQuietly();
      const read = await metrics.overview.read(periods[period]);
      return call.reply({ status: 200, body: showOverview(period, read) });
    },
    async getMetricsTimeseries(call) {
      await allow(call.principal.deviceId, call);
      const { metric, period = "24h", interval = "1h" } = call.query;
      if (!isSeries(metric)) throw invalidMember("metric", "is not a metric that is kept over time", { part: "query" });
      await metrics.flushQuietly();
      const now = clock.nowSeconds();
      const range = { since: now - periods[period], until: now + 1, interval: intervals[interval] };
      const points = await metrics.shown.series(metric, range);
      const body = { metric, period, interval, data_points: points, aggregate: aggregateOf(points) };
      return call.reply({ status: 200, body });
    },
    async exportMetrics(call) {
      await allow(call.principal.deviceId, call);
      return call.reply(await exported(call, metrics.export));
    },
  };
}

async function exported(call: Call<"exportMetrics">, source: MetricsService["export"]) {
  const { format = "prometheus" } = call.query;
  if (format === "csv") return { status: 200, type: "text/csv", body: await source.csv() } as const;
  if (format === "prometheus") return { status: 200, type: "text/plain", body: await source.prometheus() } as const;
  const { now, metrics } = await source.list();
  return { status: 200, body: { timestamp: now, metrics: metrics.map(showExported) } } as const;
}

function showExported({ name, type, help, samples }: Exported): Schemas["ExportedMetric"] {
  return { name, type, help, samples: samples.map((sample) => ({ ...sample, labels: { ...sample.labels } })) };
}

function showOverview(period: keyof typeof periods, read: OverviewRead): Schemas["Metrics"] {
  const { day, server, latency, pushLatency, snapshot } = read;
  const { levels } = snapshot;
  return {
    period,
    timestamp: read.now,
    counted_at: snapshot.takenAt,
    server: {
      uptime_seconds: server.uptimeSeconds,
      version: interfaceVersion,
      software_version: server.softwareVersion,
      cpu_usage_percent: rounded(server.cpuPercent, 1),
      memory_usage_mb: rounded(server.memoryBytes / megabyte, 1),
      storage_used_gb: rounded(levels.storage_bytes / gigabyte, 3),
      nodes: server.nodes,
    },
    devices: {
      total: levels.devices,
      active_last_24h: levels.active_devices,
      new_last_24h: levels.new_devices,
      verified: levels.tier_verified,
      blocked: levels.blocked_devices,
      by_trust_tier: {
        new: levels.tier_new,
        established: levels.tier_established,
        trusted: levels.tier_trusted,
        verified: levels.tier_verified,
      },
    },
    messages: {
      sent_last_24h: day.messages_sent,
      received_last_24h: day.messages_received,
      queued: levels.queued_messages,
      expired_last_24h: day.messages_expired,
      average_size_bytes: read.averageBytes === null ? null : rounded(read.averageBytes, 1),
    },
    spam: {
      reports_last_24h: day.spam_reports,
      auto_blocked_devices_last_24h: day.devices_auto_blocked,
      rate_limited_requests_last_24h: day.requests_rate_limited + day.messages_rate_limited,
    },
    federation: {
      active_peers: levels.federation_peers,
      blocked_peers: levels.blocked_servers,
      messages_sent_last_24h: day.federated_messages_sent,
      messages_received_last_24h: day.federated_messages_received,
      failed_deliveries_last_24h: day.federated_deliveries_failed + day.federated_messages_expired,
    },
    performance: {
      average_delivery_latency_ms: latency === null ? null : rounded(latency.average, 1),
      p95_delivery_latency_ms: latency === null ? null : rounded(latency.p95, 1),
      p99_delivery_latency_ms: latency === null ? null : rounded(latency.p99, 1),
      websocket_connections: read.openStreams,
    },
    push: {
      accepted_last_24h: day.pushes_accepted,
      failed_last_24h: day.pushes_failed,
      gone_last_24h: day.push_subscriptions_gone,
      answered_last_24h: day.push_wake_ups_answered,
      average_latency_ms: pushLatency === null ? null : rounded(pushLatency.average, 1),
      p95_latency_ms: pushLatency === null ? null : rounded(pushLatency.p95, 1),
      p99_latency_ms: pushLatency === null ? null : rounded(pushLatency.p99, 1),
    },
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function aggregateOf(points: readonly DataPoint[]): Schemas["SeriesAggregate"] {
  if (points.length === 0) return { min: 0, max: 0, avg: 0, total: 0 };
  const values = points.map(({ value }) => value);
  const total = values.reduce((sum, value) => sum + value, 0);
  return { min: Math.min(...values), max: Math.max(...values), avg: total / values.length, total };
}
