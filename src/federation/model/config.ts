import { constant, flag, integer, integers, optionalText, type ValuesOf } from "../../platform/config/setting.js";
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
  federationTransactionCacheSeconds: integer("Time for which the response to a transaction is stored for repetitions", {
    default: hourSeconds,
    min: 1,
    max: 7 * daySeconds,
  }),
};

export const federationConstants = {
  federationAllowAnyPort: flag("Allow peers on any port, not only on federationPorts", false),
  federationChallengesPerOriginMinute: constant("Nonces per IP, domain and minute", 60),
  federationChallengesPerIpMinute: constant("Nonces per IP and minute", 240),
  federationAuthenticationsPerOriginMinute: constant("Authentications per IP, domain and minute", 60),
  federationAuthenticationsPerIpMinute: constant("Authentications per IP and minute", 240),
  sharedHostAttemptsPerDomainMinute: constant(
    "Sessions begun per minute at a host for one owner's domains that have none there yet",
    3,
  ),
  sharedHostAttemptsPerMinute: constant("The same for all other owners' domains", 12),
  federationReportsPerHour: constant("Spam reports passed on per peer and hour", 600),
  forwardedReportAttempts: constant("Attempts to pass a spam report on to a peer", 12),
  federationTransactionWaitSeconds: constant(
    "Longest wait of a repeated transaction for the answer to the first copy",
    20,
  ),
  federationNonceSeconds: constant("Lifetime of a federation nonce", 300),
  federationDeliveryBytes: constant(
    "Bytes of ciphertext in one delivery, counted for each message, also for one that shares",
    256 * mebibyte,
  ),
  discoveryMinCacheSeconds: constant("Shortest time for which a peer's discovery document is cached", 300),
  discoveryMaxCacheSeconds: constant("Longest time for which a peer's discovery document is cached", daySeconds),
  discoveryFailureCacheSeconds: constant("Time for which a failed discovery is remembered", 60),
  federationConnectTimeoutSeconds: constant("Longest wait for a connection to a peer", 10),
  federationConnectionMaxAgeSeconds: constant("Age at which a kept connection to a peer is replaced", 900),
  federationRequestTimeoutSeconds: constant("Longest silence of a peer while it is sent a request or answers it", 30),
  federationLeastBytesPerSecond: constant("Least mean rate of a request to a peer with its answer", 8 * kibibyte),
  federationSlotTimeoutSeconds: constant(
    "Longest silence of a peer that is asked for a commit slot or key packages",
    15,
  ),
  federationResponseBytes: constant("Largest response of a peer", mebibyte),
  scoreWindowSeconds: constant("Time over which traffic counts towards a peer's score", 7 * daySeconds),
  scoreMinMessages: constant("Messages before a score has consequences", 100),
  limitedBelowScore: constant("Score below which a peer is limited", 0.7),
  automaticBlockSeconds: constant("Length of an automatic block of a peer", 7 * daySeconds),
  blocklistFetchSeconds: constant("Interval at which peers' published block lists are fetched", 6 * hourSeconds),
  blocklistPeerMinAgeSeconds: constant("Time for which a peer must be known before its list counts", 7 * daySeconds),
  blocklistPeerMinMessages: constant("Messages that a peer must have delivered before its list counts", 100),
};

export type FederationSettings = ValuesOf<typeof federationSettings & typeof federationConstants>;
