import { decimal, flag, integer, integers, optionalText, type ValuesOf } from "../../platform/config/setting.js";
import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte } from "../../protocol/units.js";

/** Calls from and to peers. */
export const federationSettings = {
  federationAllowPrivate: flag(
    "Allow peers on loopback and private networks, and peers named localhost (tests)",
    false,
  ),
  federationCertFile: {
    ...optionalText("Certificate chain (PEM) that proves this server's domain to peers", "path"),
    shownFallback: "TLS_CERT_FILE",
  },
  federationKeyFile: {
    ...optionalText("Private key (PEM) of FEDERATION_CERT_FILE", "path"),
    shownFallback: "TLS_KEY_FILE",
  },
  federationCaFile: optionalText("Certificate authorities (PEM) trusted besides the system's", "path"),
  federationCrlFile: optionalText("Certificate revocation lists (PEM or DER)", "path"),
  federationPorts: integers("Ports on which peers may be called", [443, 8443], { min: 1, max: 65535 }),
  federationMessagesPerMinute: integer("Messages per peer and minute", { default: 1000, min: 1, max: 10_000_000 }),
  federationTransactionsPerMinute: integer("Transactions per peer and minute", {
    default: 100,
    min: 1,
    max: 1_000_000,
  }),
  federationOnlineMessagesPerMinute: integer("Online-only messages per peer and minute", {
    default: 3000,
    min: 1,
    max: 10_000_000,
  }),
  federationBytesPerMinute: integer("Bytes of ciphertext per peer and minute, counted for each message", {
    default: 512 * mebibyte,
    min: mebibyte,
    max: 1024 * gibibyte,
  }),
};

export const federationConstants = {
  federationAllowAnyPort: flag("Allow peers on any port, not only on federationPorts", false),
  federationChallengesPerOriginMinute: integer("Nonces that one IP may request per minute for one domain", {
    default: 60,
    min: 1,
    max: 1_000_000,
  }),
  federationChallengesPerIpMinute: integer("Nonces that one IP may request per minute", {
    default: 240,
    min: 1,
    max: 1_000_000,
  }),
  federationAuthenticationsPerOriginMinute: integer("Attempts of one IP to authenticate as one domain per minute", {
    default: 60,
    min: 1,
    max: 1_000_000,
  }),
  federationAuthenticationsPerIpMinute: integer("Attempts of one IP to authenticate as a peer per minute", {
    default: 240,
    min: 1,
    max: 1_000_000,
  }),
  sharedHostAttemptsPerDomainMinute: integer(
    "Sessions per minute that are begun at a host for the domains of one owner that have none there yet",
    { default: 3, min: 1, max: 1_000_000 },
  ),
  sharedHostAttemptsPerMinute: integer(
    "Sessions per minute that are begun at a host for all domains of other owners that have none there yet",
    { default: 12, min: 1, max: 1_000_000 },
  ),
  federationReportsPerHour: integer("Spam reports that one peer may pass on per hour", {
    default: 600,
    min: 1,
    max: 1_000_000,
  }),
  reportingPeerMinAgeSeconds: integer("Age of a peer from which the spam reports that it passes on count", {
    default: 7 * daySeconds,
    min: 0,
    max: 365 * daySeconds,
  }),
  forwardedReportAttempts: integer("Attempts to pass a spam report on to a peer", { default: 12, min: 1, max: 1000 }),
  failedSessionCacheSeconds: integer("Time for which a failed session refuses further questions to the peer", {
    default: 60,
    min: 1,
    max: daySeconds,
  }),
  federationTransactionCacheSeconds: integer("Time for which the response to a transaction is stored for repetitions", {
    default: hourSeconds,
    min: 1,
    max: 7 * daySeconds,
  }),
  federationTransactionWaitSeconds: integer(
    "Time for which a repeated transaction waits for the answer to the first copy before it is processed itself",
    { default: 20, min: 1, max: 300 },
  ),
  federationNonceSeconds: integer("Lifetime of a federation nonce", { default: 300, min: 1, max: hourSeconds }),
  federationTokenRenewSeconds: integer("Remaining lifetime at which our token at a peer is renewed", {
    default: 300,
    min: 0,
    max: hourSeconds,
  }),
  federationDeliveryBytes: integer(
    "Bytes of ciphertext in one delivery, counted for each message, also for one that shares",
    {
      default: 256 * mebibyte,
      min: mebibyte,
      max: 64 * gibibyte,
    },
  ),
  certificateChainBytes: integer("Largest certificate chain of a peer", {
    default: 32 * kibibyte,
    min: kibibyte,
    max: 44 * kibibyte,
  }),
  certificateIntermediates: integer("Maximum number of intermediates in a chain", { default: 5, min: 0, max: 20 }),
  certificateRsaBits: integer("Largest RSA key in a chain", { default: 4096, min: 2048, max: 16384 }),
  discoveryMinCacheSeconds: integer("Shortest time for which a peer's discovery document is cached", {
    default: 300,
    min: 1,
    max: daySeconds,
  }),
  discoveryMaxCacheSeconds: integer("Longest time for which a peer's discovery document is cached", {
    default: daySeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  discoveryFailureCacheSeconds: integer("Time for which a failed discovery is remembered", {
    default: 60,
    min: 1,
    max: daySeconds,
  }),
  federationConnectTimeoutSeconds: integer("Longest wait for a connection to a peer", {
    default: 10,
    min: 1,
    max: 300,
  }),
  federationConnectionMaxAgeSeconds: integer("Age at which a kept connection to a peer is replaced", {
    default: 900,
    min: 1,
    max: daySeconds,
  }),
  federationRequestTimeoutSeconds: integer("Longest silence of a peer while it is sent a request or answers it", {
    default: 30,
    min: 1,
    max: 600,
  }),
  federationLeastBytesPerSecond: integer("Least mean rate of a request to a peer with its answer", {
    default: 8 * kibibyte,
    min: 1,
    max: gibibyte,
  }),
  federationSlotTimeoutSeconds: integer("Longest silence of a peer that is asked for a commit slot or key packages", {
    default: 15,
    min: 1,
    max: 300,
  }),
  federationResponseBytes: integer("Largest response of a peer", {
    default: mebibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  scoreWindowSeconds: integer("Time over which traffic counts towards a peer's score", {
    default: 7 * daySeconds,
    min: hourSeconds,
    max: 365 * daySeconds,
  }),
  scoreMinMessages: integer("Messages before a score has consequences", { default: 100, min: 1, max: 1_000_000_000 }),
  limitedBelowScore: decimal("Score below which a peer is limited", { default: 0.7, min: 0, max: 1 }),
  limitedDivisor: integer("Divisor of a limited peer's limits", { default: 4, min: 1, max: 1000 }),
  automaticBlockSeconds: integer("Length of an automatic block of a peer", {
    default: 7 * daySeconds,
    min: 1,
    max: 365 * daySeconds,
  }),
  blocklistFetchSeconds: integer("Interval at which peers' published block lists are fetched", {
    default: 6 * hourSeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  blocklistPeerMinAgeSeconds: integer("Time for which a peer must be known before its list counts", {
    default: 7 * daySeconds,
    min: 0,
    max: 365 * daySeconds,
  }),
  blocklistPeerMinMessages: integer("Messages that a peer must have delivered before its list counts", {
    default: 100,
    min: 0,
    max: 1_000_000_000,
  }),
  federationPeerRetentionSeconds: integer("Time without contact after which a peer is forgotten", {
    default: 30 * daySeconds,
    min: 7 * daySeconds,
    max: 3650 * daySeconds,
  }),
  blocklistMaxPenalties: integer("Maximum number of lists that count against one server", {
    default: 5,
    min: 0,
    max: 1000,
  }),
};

export type FederationSettings = ValuesOf<typeof federationSettings & typeof federationConstants>;
