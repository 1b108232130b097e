import type { CallInput } from "../../client/connection/calls.js";
import { daySeconds, hourSeconds } from "../../protocol/units.js";
import { formatBytes, formatName, formatNumber } from "../format.js";
import { texts } from "../texts.js";

export type SeriesQuery = CallInput<"getMetricsTimeseries">["query"];

/** An administrator may ask for metrics 1000 times an hour; five plots and the figures, in two tabs, stay below. */
export const metricsSeconds = 60;

export const periods = ["1h", "24h", "7d", "30d"] as const satisfies readonly SeriesQuery["period"][];
export const intervals = ["5m", "1h", "1d"] as const satisfies readonly SeriesQuery["interval"][];

export type Metric = keyof typeof kinds;

export const usualMetrics: readonly Metric[] = [
  "messages_sent",
  "messages_received",
  "queued_messages",
  "websocket_connections",
  "devices_registered",
  "outbox_messages",
];

/** How to read a metric: a count of events is added up over a span, a level is averaged. */
type Kind = "count" | "bytes" | "level" | "level of bytes" | "level in percent";

/** Every metric of the contract; a test compares the two. */
const kinds = {
  messages_sent: "count",
  messages_received: "count",
  messages_bytes: "bytes",
  messages_acknowledged: "count",
  messages_expired: "count",
  messages_duplicate: "count",
  messages_rate_limited: "count",
  messages_queue_full: "count",
  messages_unknown_address: "count",
  messages_failed: "count",
  federated_messages_sent: "count",
  federated_messages_received: "count",
  federated_deliveries_failed: "count",
  federated_messages_expired: "count",
  federated_transactions_failed: "count",
  devices_registered: "count",
  info_packages_uploaded: "count",
  info_packages_downloaded: "count",
  info_packages_expired: "count",
  slots_taken: "count",
  slots_lost: "count",
  blobs_created: "count",
  blobs_completed: "count",
  blobs_downloaded: "count",
  blobs_removed: "count",
  blob_bytes_received: "bytes",
  blob_bytes_sent: "bytes",
  spam_reports: "count",
  spam_reports_unverified: "count",
  devices_auto_blocked: "count",
  key_packages_stored: "count",
  key_packages_fetched: "count",
  key_packages_missing: "count",
  key_packages_expired: "count",
  provisioning_addresses: "count",
  provisioning_blobs_delivered: "count",
  requests: "count",
  requests_failed: "count",
  requests_rate_limited: "count",
  requests_overloaded: "count",
  devices: "level",
  active_devices: "level",
  queued_messages: "level",
  queued_bytes: "level of bytes",
  outbox_messages: "level",
  outbox_bytes: "level of bytes",
  blobs: "level",
  blob_bytes: "level of bytes",
  federation_peers: "level",
  storage_bytes: "level of bytes",
  websocket_connections: "level",
  cpu_usage_percent: "level in percent",
  memory_bytes: "level of bytes",
  pushes_accepted: "count",
  pushes_failed: "count",
  push_subscriptions_gone: "count",
  push_wake_ups_answered: "count",
  new_devices: "level",
  tier_new: "level",
  tier_established: "level",
  tier_trusted: "level",
  tier_verified: "level",
  blocked_devices: "level",
  slot_bytes: "level of bytes",
  blocked_servers: "level",
  proofs_queued: "level",
  database_millis: "level",
} as const satisfies Readonly<Record<string, Kind>>;

export const metrics = Object.keys(kinds) as Metric[];

/** The metric in words. */
export function titleOf(metric: Metric): string {
  return texts.metrics[metric] ?? formatName(metric);
}

/** What a value of the metric means for intervals of this length: a sum or an average. */
export function measureOf(metric: Metric, interval: SeriesQuery["interval"]): string {
  return kinds[metric].startsWith("level") ? texts.plots.average : texts.plots.each[interval ?? "1h"];
}

export function formatOf(metric: Metric): (value: number) => string {
  const kind: Kind = kinds[metric];
  if (kind === "bytes" || kind === "level of bytes") return formatBytes;
  if (kind === "level in percent") return (value) => `${formatNumber(tenths(value))} %`;
  return kind === "level" ? (value) => formatNumber(tenths(value)) : formatNumber;
}

/** Show no more digits of an average than are meaningful. */
const tenths = (value: number): number => Number(value.toFixed(1));

export const periodSeconds = { "1h": hourSeconds, "24h": daySeconds, "7d": 7 * daySeconds, "30d": 30 * daySeconds };
export const intervalSeconds = { "5m": 300, "1h": hourSeconds, "1d": daySeconds };
