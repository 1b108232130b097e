import type { ErrorName } from "../../generated/errors.js";
import type { LimitInHeaders } from "../../generated/limits.js";
import { daySeconds, hourSeconds, minuteSeconds } from "../protocol/units.js";

/** A limit of what somebody may do in a window of time. */
export interface Limit {
  /** Who has a window. */
  readonly per: string;
  /** Seconds, or what says how many. */
  readonly window: number | string;
  /** The variable, constant or setting that has the number; its `config.ts`, or the contract, has the default and the unit. */
  readonly limit: string | 1;
  /** The same for a new device, or for a network address if the space is nearly used up. */
  readonly reduced?: string;
  /** If the limit is a share, the setting with the bytes of the whole. */
  readonly shareOf?: string;
  /** The message of a refusal, and its error, if that is not RATE_LIMIT_EXCEEDED. */
  readonly message: string;
  readonly error?: ErrorName;
  /** The message for a device that is blocked or banned. */
  readonly barred?: string;
  /** Where it is counted, if not in `rate_limits` by the one statement of windows-store.ts. */
  readonly counted?: "sending_windows" | "spam_reports" | "memory";
}

/**
 * All limits of what is done in a window of time, by their names in the contract: in `x-rate-limits`, the headers `RateLimit` and
 * `RateLimit-Policy`, and `GET /v1/limits`. What may be there at once, and sizes, are in the `config.ts` of the modules.
 */
export const limits = {
  // Messages
  messages: {
    per: "device",
    window: "rate_limiting.window_seconds",
    limit: "progressive_trust.trusted_tier_limit",
    reduced: "progressive_trust.new_tier_limit",
    message: "the message limit of this device is used up",
    barred: "this device may not send messages at the moment",
    counted: "sending_windows",
  },
  misses: {
    per: "device",
    window: "rate_limiting.window_seconds",
    limit: "missesPerSendLimit",
    message: "too many repeated messages, unknown recipients or requests refused for full queues",
    counted: "sending_windows",
  },
  online_messages: {
    per: "device",
    window: "rate_limiting.window_seconds",
    limit: "onlineMessagesPerSend",
    message: "too many online-only messages",
    counted: "memory",
  },
  stream_replacements: {
    per: "device",
    window: minuteSeconds,
    limit: "replacementsPerMinute",
    message: "the device's stream was replaced too often",
  },

  // Registration and addresses
  challenges: {
    per: "network address",
    window: hourSeconds,
    limit: "challengesPerIpHour",
    message: "too many challenges for this network address",
  },
  first_announcements_hour: {
    per: "network address",
    window: hourSeconds,
    limit: "firstAnnouncementsPerIpHour",
    message: "too many first announcements from this network address in an hour",
  },
  first_announcements_day: {
    per: "network address",
    window: daySeconds,
    limit: "firstAnnouncementsPerIpDay",
    message: "too many first announcements from this network address in a day",
  },
  new_addresses: {
    per: "device",
    window: daySeconds,
    limit: "newAddressesPerDay",
    message: "address creation rate limit exceeded",
  },
  announcements: {
    per: "device",
    window: hourSeconds,
    limit: "announcementsPerHour",
    message: "rate limit exceeded",
  },

  // Key packages
  key_package_uploads: {
    per: "device",
    window: hourSeconds,
    limit: "keyPackageUploadsPerHour",
    message: "too many uploads of key packages in an hour",
  },
  key_package_fetches: {
    per: "device",
    window: hourSeconds,
    limit: "keyPackageFetchesPerHour",
    reduced: "newTierFetchesPerHour",
    message: "too many key packages in an hour",
    barred: "this device may not fetch key packages at the moment",
  },
  key_package_fetches_of_device: {
    per: "device and target",
    window: hourSeconds,
    limit: "keyPackageFetchesPerTargetHour",
    reduced: "newTierFetchesPerTargetHour",
    message: "too many key packages of one device in an hour",
  },
  key_package_claims: {
    per: "device",
    window: hourSeconds,
    limit: "keyPackageClaimsPerHour",
    reduced: "newTierClaimsPerHour",
    message: "too many addresses in claims of key packages in an hour",
  },
  /** Another relay gives all devices of this one a common share, which one device must not use up. */
  key_package_claims_of_address: {
    per: "device and address of another relay",
    window: hourSeconds,
    limit: "peerClaimsPerAddressHour",
    reduced: "newTierPeerClaimsPerAddressHour",
    message: "too many claims of key packages of one address in an hour",
  },
  /** Counts a repeated claim once in the window above. */
  key_package_claim_of_address: {
    per: "claim and address of another relay",
    window: daySeconds,
    limit: 1,
    message: "too many claims of key packages of one address in an hour",
  },
  /** Beyond it, claims get the last-resort package. */
  claimed_key_packages_of_device: {
    per: "target",
    window: hourSeconds,
    limit: "claimedPackagesPerTargetHour",
    message: "too many key packages of one device in an hour",
  },

  // Device linking and info packages
  linking_addresses: {
    per: "network address",
    window: hourSeconds,
    limit: "provisioningPerIpHour",
    message: "too many provisioning addresses for this network address",
  },
  linking_blobs: {
    per: "device",
    window: hourSeconds,
    limit: "linkingBlobsPerDeviceHour",
    message: "too many linking blobs of this device in an hour",
  },
  linking_codes: {
    per: "device",
    window: hourSeconds,
    limit: "linkingCodesPerDeviceHour",
    message: "too many linking codes were tried in an hour",
  },
  info_package_uploads_hour: {
    per: "device, or network address without one",
    window: hourSeconds,
    limit: "infopackage_uploads_per_hour",
    message: "too many info packages were uploaded",
    error: "INFOPACKAGE_RATE_LIMIT",
  },
  info_package_uploads_day: {
    per: "device, or network address without one",
    window: daySeconds,
    limit: "infopackage_uploads_per_day",
    message: "too many info packages were uploaded",
    error: "INFOPACKAGE_RATE_LIMIT",
  },

  // Commit slots
  slots_hour: {
    per: "device",
    window: hourSeconds,
    limit: "slotsPerHour",
    reduced: "newTierSlotsPerHour",
    message: "too many commit slots in an hour",
    barred: "this device may not take commit slots at the moment",
  },
  slot_bytes_hour: {
    per: "device",
    window: hourSeconds,
    limit: "slotBytesPerHour",
    reduced: "newTierSlotBytesPerHour",
    message: "too many bytes of commit slots in an hour",
  },
  /** Counted in windows under keyed hashes, so that no row says whose content a slot has. */
  slot_storage: {
    per: "device",
    window: "SLOT_RETENTION_DAYS",
    limit: "slotStorageDeviceShare",
    reduced: "newTierSlotStorageShare",
    shareOf: "slotStorageBytes",
    message: "this device's share of the space for commit slots is used up",
    error: "QUEUE_FULL",
  },
  slot_reads_hour: {
    per: "network address",
    window: hourSeconds,
    limit: "slotReadsPerIpHour",
    message: "too many readings of commit slots from this network address in an hour",
  },
  /** Requests of a device, repetitions included: each is a call to a peer. */
  peer_slots_hour: {
    per: "device",
    window: hourSeconds,
    limit: "peerSlotsPerHour",
    reduced: "newTierPeerSlotsPerHour",
    message: "too many requests for commit slots of other relays in an hour",
  },
  peer_slot_bytes_hour: {
    per: "device",
    window: hourSeconds,
    limit: "peerSlotBytesPerHour",
    reduced: "newTierPeerSlotBytesPerHour",
    message: "too many bytes for commit slots of other relays in an hour",
  },
  peer_slot_reads_minute: {
    per: "device",
    window: minuteSeconds,
    limit: "peerSlotReadsPerMinute",
    message: "too many readings of commit slots of other relays in a minute",
  },
  /** Higher than that of a device, because the devices of a household or an office share an address. */
  peer_slot_reads_of_network: {
    per: "network address",
    window: minuteSeconds,
    limit: "peerSlotReadsPerIpMinute",
    message: "too many readings of commit slots of other relays in a minute",
  },
  /** What another relay is presumed to allow this one, because this one allows others as much (slots/peer-share.ts). */
  peer_slots_of_domain: {
    per: "other relay",
    window: minuteSeconds,
    limit: "federationSlotsPerMinute",
    message: "too many takings of commit slots of this relay in a minute",
  },
  peer_slot_reads_of_domain: {
    per: "other relay",
    window: minuteSeconds,
    limit: "federationSlotReadsPerMinute",
    message: "too many readings of commit slots of this relay in a minute",
  },

  // Blobs
  blobs_hour: {
    per: "device",
    window: hourSeconds,
    limit: "blobsPerHour",
    reduced: "newTierBlobsPerHour",
    message: "too many blobs in an hour",
    barred: "this device may not create blobs at the moment",
  },
  blob_bytes_day: {
    per: "device",
    window: daySeconds,
    limit: "blobBytesPerDay",
    reduced: "newTierBlobBytesPerDay",
    message: "too many bytes of blobs in a day",
  },
  /** Counted in windows under keyed hashes, so that no row says whose a blob is. */
  blob_storage: {
    per: "device",
    window: 30 * daySeconds,
    limit: "blobStorageDeviceShare",
    reduced: "newTierBlobStorageShare",
    shareOf: "blobStorageBytes",
    message: "this device's share of the space for blobs is used up",
    error: "QUEUE_FULL",
  },
  network_blob_bytes_day: {
    per: "network address",
    window: daySeconds,
    limit: "blobBytesPerIpDay",
    message: "too many bytes of blobs from this network address in a day",
  },
  /** Not counted for longer, because no hash of a network address is kept for longer. */
  network_blob_storage: {
    per: "IPv4 address or IPv6 /48",
    window: daySeconds,
    limit: "blobStorageSiteShare",
    reduced: "crowdedBlobStorageSiteShare",
    shareOf: "blobStorageBytes",
    message: "the share of this network address of the space for blobs is used up for today",
    error: "QUEUE_FULL",
  },
  blob_reads_hour: {
    per: "network address",
    window: hourSeconds,
    limit: "blobReadsPerIpHour",
    message: "too many requests for blobs from this network address in an hour",
  },
  blob_read_bytes_day: {
    per: "network address",
    window: daySeconds,
    limit: "blobReadBytesPerIpDay",
    message: "too many bytes of blobs for this network address in a day",
  },

  // Pushes: each makes the relay call a push service that the device has named.
  push_subscriptions_hour: {
    per: "device",
    window: hourSeconds,
    limit: "pushSubscriptionsPerHour",
    message: "too many push subscriptions in an hour",
    barred: "this device may not subscribe to pushes at the moment",
  },
  push_confirmations_hour: {
    per: "device",
    window: hourSeconds,
    limit: "pushConfirmationsPerHour",
    message: "too many echoed codes in an hour",
  },
  push_tests_hour: {
    per: "device",
    window: hourSeconds,
    limit: "pushTestsPerHour",
    message: "too many tests of the push subscription in an hour",
  },

  // Spam reports
  spam_reports_hour: {
    per: "device",
    window: hourSeconds,
    limit: "spamReportsPerHour",
    message: "too many devices were reported",
    counted: "spam_reports",
  },
  spam_reports_day: {
    per: "device",
    window: daySeconds,
    limit: "spamReportsPerDay",
    message: "too many devices were reported",
    counted: "spam_reports",
  },
  spam_reports_of_device: {
    per: "device and reported device",
    window: daySeconds,
    limit: "spamReportsOfOneDevicePerDay",
    message: "too many messages of one device were reported",
    counted: "spam_reports",
  },

  // Other relays, each with all relays of its registrable domain
  federation_challenges: {
    per: "network address and domain",
    window: minuteSeconds,
    limit: "federationChallengesPerOriginMinute",
    message: "too many attempts to authenticate as this server from this network address",
  },
  federation_challenges_of_network: {
    per: "network address",
    window: minuteSeconds,
    limit: "federationChallengesPerIpMinute",
    message: "too many attempts to authenticate from this network address",
  },
  federation_authentications: {
    per: "network address and domain",
    window: minuteSeconds,
    limit: "federationAuthenticationsPerOriginMinute",
    message: "too many attempts to authenticate as this server from this network address",
  },
  federation_authentications_of_network: {
    per: "network address",
    window: minuteSeconds,
    limit: "federationAuthenticationsPerIpMinute",
    message: "too many attempts to authenticate from this network address",
  },
  federation_messages: {
    per: "peer",
    window: minuteSeconds,
    limit: "federationMessagesPerMinute",
    message: "too many messages, transactions or bytes within a minute",
  },
  federation_transactions: {
    per: "peer",
    window: minuteSeconds,
    limit: "federationTransactionsPerMinute",
    message: "too many messages, transactions or bytes within a minute",
  },
  federation_bytes: {
    per: "peer",
    window: minuteSeconds,
    limit: "federationBytesPerMinute",
    message: "too many messages, transactions or bytes within a minute",
  },
  federation_online_messages: {
    per: "peer",
    window: minuteSeconds,
    limit: "federationOnlineMessagesPerMinute",
    message: "too many online-only messages of your relay in a minute",
  },
  federation_reports: {
    per: "peer",
    window: hourSeconds,
    limit: "federationReportsPerHour",
    message: "too many spam reports of your relay in an hour",
  },
  federation_key_packages: {
    per: "peer",
    window: minuteSeconds,
    limit: "federationKeyPackagesPerMinute",
    message: "too many addresses in claims of your relay in a minute",
  },
  federation_key_packages_of_device: {
    per: "peer and target",
    window: hourSeconds,
    limit: "peerClaimsPerTargetHour",
    message: "too many key packages of one device for your relay in an hour",
  },
  federation_slots: {
    per: "peer",
    window: minuteSeconds,
    limit: "federationSlotsPerMinute",
    message: "too many commit slots of your relay in a minute",
  },
  federation_slot_bytes: {
    per: "peer",
    window: hourSeconds,
    limit: "federationSlotBytesPerHour",
    message: "too many bytes of commit slots of your relay in an hour",
  },
  federation_slot_reads: {
    per: "peer",
    window: minuteSeconds,
    limit: "federationSlotReadsPerMinute",
    message: "too many readings of commit slots by your relay in a minute",
  },
  federation_slot_storage: {
    per: "peer",
    window: "SLOT_RETENTION_DAYS",
    limit: "slotStorageOnePeerShare",
    shareOf: "slotStorageBytes",
    message: "your relay's share of the space for commit slots is used up",
    error: "QUEUE_FULL",
  },
  /** Sessions of a domain at a host of another owner (federation/peers/session-attempts.ts). */
  shared_host_attempts: {
    per: "host",
    window: minuteSeconds,
    limit: "sharedHostAttemptsPerMinute",
    message: "too many sessions were begun at this host",
  },
  shared_host_attempts_of_domain: {
    per: "host and domain",
    window: minuteSeconds,
    limit: "sharedHostAttemptsPerDomainMinute",
    message: "too many sessions were begun at this host",
  },

  // Administrators
  admin_metrics: {
    per: "administrator",
    window: hourSeconds,
    limit: "adminMetricsPerHour",
    message: "too many metrics queries in an hour",
  },
  admin_config_updates: {
    per: "administrator",
    window: hourSeconds,
    limit: "adminConfigUpdatesPerHour",
    message: "too many configuration updates in an hour",
  },
  admin_audit_queries: {
    per: "administrator",
    window: hourSeconds,
    limit: "adminAuditQueriesPerHour",
    message: "too many audit queries in an hour",
  },
} as const satisfies Record<LimitInHeaders, Limit> & Record<string, Limit>;

export type LimitName = keyof typeof limits;
