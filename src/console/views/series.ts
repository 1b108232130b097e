import type { CallInput } from "../../sdk/calls.js";

export type SeriesQuery = CallInput<"getMetricsTimeseries">["query"];
type Metric = SeriesQuery["metric"];

export const periods = ["1h", "24h", "7d", "30d"] as const satisfies readonly SeriesQuery["period"][];
export const intervals = ["5m", "1h", "1d"] as const satisfies readonly SeriesQuery["interval"][];

export const usualMetrics: readonly Metric[] = [
  "messages_sent",
  "messages_received",
  "queued_messages",
  "websocket_connections",
  "devices_registered",
  "outbox_messages",
];

/** Every metric of the contract; the compiler compares the two. */
const titles: Readonly<Record<Metric, true>> = {
  messages_sent: true,
  messages_received: true,
  messages_bytes: true,
  messages_acknowledged: true,
  messages_expired: true,
  messages_duplicate: true,
  messages_rate_limited: true,
  messages_queue_full: true,
  messages_unknown_address: true,
  messages_failed: true,
  federated_messages_sent: true,
  federated_messages_received: true,
  federated_deliveries_failed: true,
  federated_messages_expired: true,
  federated_transactions_failed: true,
  devices_registered: true,
  info_packages_uploaded: true,
  info_packages_downloaded: true,
  info_packages_expired: true,
  spam_reports: true,
  spam_reports_unverified: true,
  devices_auto_blocked: true,
  key_packages_stored: true,
  key_packages_fetched: true,
  key_packages_missing: true,
  key_packages_expired: true,
  provisioning_addresses: true,
  provisioning_blobs_delivered: true,
  requests: true,
  requests_failed: true,
  requests_rate_limited: true,
  requests_overloaded: true,
  devices: true,
  active_devices: true,
  queued_messages: true,
  queued_bytes: true,
  outbox_messages: true,
  outbox_bytes: true,
  federation_peers: true,
  storage_bytes: true,
  websocket_connections: true,
  cpu_usage_percent: true,
  memory_bytes: true,
};

export const metrics = Object.keys(titles) as Metric[];
