/** Every counter, with its meaning. Other names are a compile error. */
export const counters = {
  messages_sent: "Messages accepted from devices of this server, for here or elsewhere.",
  messages_received: "Messages added to queues of this server, wherever they came from.",
  messages_bytes: "Bytes of ciphertext added to queues of this server.",
  messages_acknowledged: "Messages removed by an acknowledgement.",
  messages_expired: "Messages removed because their retention ended.",
  messages_duplicate: "Messages that had been accepted before.",
  messages_rate_limited: "Messages refused because a limit was used up.",
  messages_queue_full: "Messages refused because the recipient's queue was full.",
  messages_unknown_address: "Messages refused because the recipient's address has no active mapping.",
  messages_failed: "Messages refused for any other reason.",
  federated_messages_sent: "Messages delivered to other servers.",
  federated_messages_received: "Messages delivered by other servers.",
  federated_deliveries_failed: "Messages that another server rejected by name.",
  federated_messages_expired: "Messages for other servers whose retention ended before they were delivered.",
  federated_transactions_failed: "Transactions that another server gave no receipt for.",
  devices_registered: "Devices that announced themselves for the first time.",
  info_packages_uploaded: "Info packages taken in.",
  info_packages_downloaded: "Downloads of info packages.",
  info_packages_expired: "Info packages removed because their time was over.",
  slots_taken: "Commit slots that were taken.",
  blobs_created: "Blobs that were created.",
  blobs_completed: "Blobs that were uploaded completely.",
  blobs_downloaded: "Requests for bytes of blobs that were answered.",
  blobs_removed: "Blobs that were removed because they had ended.",
  blob_bytes_received: "Bytes of parts of blobs that were stored.",
  blob_bytes_sent: "Bytes of blobs that were sent.",
  slots_lost: "Requests to take a commit slot that had other content already.",
  pushes_accepted: "Wake-up pushes that push services took.",
  pushes_failed: "Attempts at a wake-up push that a push service did not take.",
  push_subscriptions_gone: "Push subscriptions removed because the push service no longer knew them.",
  push_wake_ups_answered: "Wake-up pushes for messages after which the device read its queue or opened a stream.",
  spam_reports: "Verified spam reports.",
  spam_reports_unverified: "Spam reports about messages that the reported device did not send, as far as is known.",
  devices_auto_blocked: "Devices blocked or banned by spam reports.",
  key_packages_stored: "Key packages stored, those for the last resort not counted.",
  key_packages_fetched: "Key packages handed out, those for the last resort not counted.",
  key_packages_missing: "Fetches and claims that found no key package.",
  key_packages_expired: "Key packages that expired before anybody fetched them.",
  provisioning_addresses: "Addresses opened for linking a device.",
  provisioning_blobs_delivered: "Blobs handed to a device that is being linked.",
  requests: "Requests answered.",
  requests_failed: "Requests answered with a status of 500 or above.",
  requests_rate_limited: "Requests answered with 429, those that send a single message excepted.",
  requests_overloaded: "Requests refused because a bounded queue was full.",
} as const;

/** Durations, in milliseconds. */
export const histograms = {
  delivery_latency: "From the acceptance of a message to its first hand-out.",
  push_latency: "From the commit of a message to the answer of the push service that took the wake-up for it.",
  request_duration: "From the arrival of a request to the end of its answer.",
} as const;

/** What each node reads about itself at the end of every span, and how the nodes' values are combined. */
export const gauges = {
  websocket_connections: { meaning: "Streams open on the node.", over: "sum" },
  cpu_usage_percent: { meaning: "How busy the node's machine is.", over: "average" },
  memory_bytes: { meaning: "Memory that the node's process holds.", over: "sum" },
  proofs_queued: { meaning: "Delay proofs that are being checked or wait.", over: "sum" },
  database_millis: { meaning: "How long the simplest question to the database took.", over: "average" },
} as const;

/** Measurements that nodes share for alerts. Not kept over time. */
export const signs = {
  cpu_high_seconds: "For how long the node has been busier than alerts allow.",
  database_slow_seconds: "For how long the database has answered the node more slowly than alerts allow.",
  database_gone_at: "When the node lost the database, Unix time; 0 unless it is away or has been of late.",
  clock_jumped_at: "Since when the node does not believe the database's clock, Unix time; 0 while it does.",
  clock_jump_seconds: "By how much that clock is ahead of where it was expected; less than zero where it is behind.",
  disk_full_at: "Since when no space is left on the database's disk, Unix time; 0 while there is.",
  read_only_at: "Since when the database has been read-only for another reason, Unix time; 0 while it is not.",
  writes_unconfirmed_at:
    "Since when the database has answered without confirming writes, Unix time; 0 while it confirms them.",
  disk_free_bytes: "Free bytes on the disk of the embedded database.",
  certificate_failing_at: "Since when the node is issued no certificate, Unix time; 0 where it is, or needs none.",
  certificate_retry_at: "When a failed order of a certificate is repeated, Unix time; 0 where none is.",
  untrusted_proxy_at:
    "Since when a proxy that is not trusted sends requests to the node, Unix time; 0 where none does.",
  unreadable_proxy_at:
    "Since when a trusted proxy sends X-Forwarded-For without an address, Unix time; 0 where none does.",
  blob_disk_free_bytes: "Free bytes on the disk of the folder for blobs.",
  blob_storage_failing_at: "Since when the node cannot use the storage of blobs, Unix time; 0 while it can.",
  open_files_exhausted_at:
    "Since when the node has had as many open files as it may have, Unix time; 0 while it has not, or not of late.",
  wake_up_bus_gone_at:
    "Since when the node has been without its wake-up bus, Unix time; 0 where it has it, or has none.",
  certificate_expires_at: "When the node's TLS certificate ends, Unix time; 0 where it has none.",
} as const;

/** What other modules report about the whole server for the export. Not kept over time. */
export const readings = {
  component_health: "State of each component: 1 is healthy, 0.5 degraded, 0 unhealthy.",
  alert_active: "Active alerts by kind and severity; 0 for every kind that is not active.",
} as const;

/** What is counted for the whole server by scanning its tables. */
export const levels = {
  devices: "Devices registered here.",
  active_devices: "Devices active in the last 24 hours.",
  new_devices: "Devices registered in the last 24 hours.",
  tier_new: "Devices in the New tier.",
  tier_established: "Devices in the Established tier.",
  tier_trusted: "Devices in the Trusted tier.",
  tier_verified: "Devices in the Verified tier.",
  blocked_devices: "Devices blocked or banned.",
  queued_messages: "Messages in queues.",
  queued_bytes: "Bytes of ciphertext in queues.",
  outbox_messages: "Messages waiting for other servers.",
  outbox_bytes: "Bytes of ciphertext waiting for other servers.",
  slot_bytes: "Bytes of content in commit slots.",
  blobs: "Blobs, with those that are being uploaded.",
  blob_bytes: "Bytes reserved for blobs.",
  federation_peers: "Known servers whose status is active.",
  blocked_servers: "Blocks of servers in force.",
  storage_bytes: "Size of the database.",
} as const;

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;
export type GaugeName = keyof typeof gauges;
export type SignName = keyof typeof signs;
export type ReadingName = keyof typeof readings;
export type LevelName = keyof typeof levels;
/** The metrics that have a series. */
export type SeriesName = CounterName | GaugeName | LevelName;

export const counterNames = Object.keys(counters) as readonly CounterName[];
export const histogramNames = Object.keys(histograms) as readonly HistogramName[];
export const gaugeNames = Object.keys(gauges) as readonly GaugeName[];

/** Whether a metric of this name is kept over time. */
export function isSeries(name: string): name is SeriesName {
  return [counters, gauges, levels].some((names) => Object.hasOwn(names, name));
}

export function isCounter(name: SeriesName): name is CounterName {
  return Object.hasOwn(counters, name);
}

/** Whether the nodes' values of a level are averaged; otherwise they are added up. */
export function isAveraged(name: SeriesName): boolean {
  return Object.hasOwn(gauges, name) && gauges[name as GaugeName].over === "average";
}
