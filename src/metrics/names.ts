/** Everything that is counted, with its meaning. Other names are a compile error. */
export const counters = {
  messages_sent: "Messages accepted from devices of this server, for here or elsewhere.",
  messages_received: "Messages put into queues of this server, wherever they came from.",
  messages_bytes: "Bytes of ciphertext put into queues of this server.",
  messages_acknowledged: "Messages removed by an acknowledgement.",
  messages_expired: "Messages removed because their retention ended.",
  messages_duplicate: "Messages that had been accepted before.",
  messages_rate_limited: "Messages refused because a limit was used up.",
  messages_queue_full: "Messages refused because the recipient's queue was full.",
  messages_unknown_address: "Messages refused because the recipient's address has no active mapping.",
  messages_failed: "Messages refused for any other reason.",
  federated_messages_sent: "Messages delivered to other servers.",
  federated_messages_received: "Messages delivered by other servers.",
  federated_deliveries_failed: "Messages that another server refused for good.",
  federated_messages_expired: "Messages for other servers whose retention ended before they were delivered.",
  federated_transactions_failed: "Transactions that another server gave no receipt for.",
  devices_registered: "Devices that announced themselves for the first time.",
  info_packages_uploaded: "Info packages taken in.",
  info_packages_downloaded: "Downloads of info packages.",
  info_packages_expired: "Info packages removed because their time was over.",
  spam_reports: "Verified spam reports.",
  spam_reports_unverified: "Spam reports about messages that the reported device did not send, as far as is known.",
  devices_auto_blocked: "Devices blocked or banned by spam reports.",
  key_packages_stored: "Key packages stored, those for the last resort not counted.",
  key_packages_fetched: "Key packages handed out, those for the last resort not counted.",
  key_packages_missing: "Fetches that found no key package.",
  key_packages_expired: "Key packages that expired before anybody fetched them.",
  provisioning_addresses: "Addresses opened for linking a device.",
  provisioning_blobs_delivered: "Blobs handed to a device that is being linked.",
  requests_overloaded: "Requests refused because a bounded queue was full.",
} as const;

/** Durations, in milliseconds. */
export const histograms = {
  delivery_latency: "From the acceptance of a message to its first hand-out.",
} as const;

/** Values read at the end of every span. */
export const gauges = {
  websocket_connections: "Streams open on the node.",
} as const;

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;
export type GaugeName = keyof typeof gauges;
export type MetricName = CounterName | HistogramName | GaugeName;
