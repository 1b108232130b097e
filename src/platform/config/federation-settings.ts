import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte } from "../../protocol/units.js";
import { checkDnsServer } from "./checks.js";
import { decimal, flag, integer, integers, list, optionalText } from "./setting.js";

/** Calls from peers and to peers. */
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
  federationBytesPerMinute: integer("Bytes of ciphertext per peer and minute, counted for each message", {
    default: 512 * mebibyte,
    min: mebibyte,
    max: 1024 * gibibyte,
  }),
  dnsServers: list(
    "DNS servers that resolve the names of peers, instead of the system's",
    "list of IP[:port]",
    checkDnsServer,
  ),
};

export const federationConstants = {
  federationAllowAnyPort: flag("Allow peers on any port, not only on federationPorts", false),
  federationChallengesPerIpMinute: integer("Nonces that one IP may request per minute", {
    default: 60,
    min: 1,
    max: 1_000_000,
  }),
  federationAuthenticationsPerIpMinute: integer("Attempts of one IP to authenticate as a peer per minute", {
    default: 60,
    min: 1,
    max: 1_000_000,
  }),
  federationTransactionCacheSeconds: integer("Time for which the response to a transaction is stored for repetitions", {
    default: hourSeconds,
    min: 1,
    max: 7 * daySeconds,
  }),
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
  certificateIntermediates: integer("Most intermediates in a chain", { default: 5, min: 0, max: 20 }),
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
  dnsTimeoutSeconds: integer("Longest wait for the addresses of a peer", { default: 5, min: 1, max: 60 }),
  dnsFailureCacheSeconds: integer("Time for which a name that could not be resolved is not looked up again", {
    default: 30,
    min: 0,
    max: hourSeconds,
  }),
  dnsConcurrentLookups: integer("Names of peers looked up at once, half of them for names that never resolved", {
    default: 512,
    min: 2,
    max: 10_000,
  }),
  federationRequestTimeoutSeconds: integer("Longest wait for the response of a peer", {
    default: 30,
    min: 1,
    max: 600,
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
  blocklistMaxPenalties: integer("Most lists that count against one server", { default: 5, min: 0, max: 1000 }),
};

/** Messages on their way to peers. */
export const outboxSettings = {
  outboxConcurrentDestinations: integer("Destinations that a node delivers to at once", {
    default: 64,
    min: 2,
    max: 10_000,
  }),
  outboxBytesPerDestination: integer("Bytes waiting for one destination", {
    default: 4 * gibibyte,
    min: mebibyte,
    max: 4096 * gibibyte,
  }),
  outboxTotalMessages: integer("Messages waiting for all destinations", {
    default: 10_000_000,
    min: 1,
    max: 1_000_000_000,
  }),
  outboxTotalBytes: integer("Bytes waiting for all destinations", {
    default: 32 * gibibyte,
    min: mebibyte,
    max: 65536 * gibibyte,
  }),
};

export const outboxConstants = {
  outboxTransactionMessages: integer("Messages per outgoing transaction to servers that offer no number", {
    default: 100,
    min: 1,
    max: 1000,
  }),
  outboxLargeTransactionMessages: integer("Most messages per outgoing transaction to servers that offer more", {
    default: 1000,
    min: 1,
    max: 1000,
  }),
  outboxTransactionsInFlight: integer(
    "Transactions on their way to one destination at once, for different recipients",
    {
      default: 4,
      min: 1,
      max: 64,
    },
  ),
  outboxLingerMillis: integer("Time that a node waits for more messages before it gives a destination up", {
    default: 1000,
    min: 1,
    max: 60_000,
  }),
  outboxTransactionBytes: integer("Bytes at which a transaction ends; it has at least one message", {
    default: 8 * mebibyte,
    min: kibibyte,
    max: 256 * mebibyte,
  }),
  outboxUnreachedDestinations: integer(
    "Destinations never reached before that a node delivers to at once, in addition to the others",
    {
      default: 64,
      min: 2,
      max: 10_000,
    },
  ),
  outboxInFlightBytes: integer("Most bytes of messages in delivery per node; at least one transaction", {
    default: 64 * mebibyte,
    min: mebibyte,
    max: 64 * gibibyte,
  }),
  outboxTurnTransactions: integer("Transactions after which a destination makes room for one that waits", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  outboxPollMillis: integer("Interval at which due destinations are looked for, in case a wake-up signal is lost", {
    default: 1000,
    min: 10,
    max: 60_000,
  }),
  outboxLeaseSeconds: integer("Time after which any node may take over an unfinished transaction", {
    default: 300,
    min: 1,
    max: daySeconds,
  }),
  outboxClearSeconds: integer("Shortest interval at which a call from a peer makes us retry it at once", {
    default: 10,
    min: 0,
    max: daySeconds,
  }),
  outboxMinBackoffSeconds: integer("First wait after a failed delivery", { default: 1, min: 1, max: daySeconds }),
  outboxMaxBackoffSeconds: integer("Longest wait after a failed delivery", {
    default: hourSeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  outboxMessagesPerDestination: integer("Messages waiting for one destination", {
    default: 1_000_000,
    min: 1,
    max: 1_000_000_000,
  }),
  outboxUnreachedMessages: integer("Messages waiting for one destination that was never reached", {
    default: 10_000,
    min: 1,
    max: 1_000_000_000,
  }),
  outboxUnreachedBytes: integer("Bytes waiting for one destination that was never reached", {
    default: 256 * mebibyte,
    min: mebibyte,
    max: 4096 * gibibyte,
  }),
};
