import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte } from "../../protocol/units.js";
import { checkDnsServer } from "./checks.js";
import { decimal, flag, integer, integers, list, optionalText } from "./setting.js";

/** Being called by peers, and judging them. */
export const federationSettings = {
  federationAllowPrivate: flag("Let peers be on loopback and private networks, and be named localhost (tests)", false),
  federationAllowAnyPort: flag("Let peers be called on any port, not only on FEDERATION_PORTS (tests)", false),
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
  federationPorts: integers("Ports that peers may be called on", [443, 8443], { min: 1, max: 65535 }),
  federationMessagesPerMinute: integer("Messages per peer and minute", { default: 1000, min: 1, max: 10_000_000 }),
  federationTransactionsPerMinute: integer("Transactions per peer and minute", {
    default: 100,
    min: 1,
    max: 1_000_000,
  }),
  federationChallengesPerIpMinute: integer("Nonces that one network address may ask for in a minute", {
    default: 60,
    min: 1,
    max: 1_000_000,
  }),
  federationAuthenticationsPerIpMinute: integer(
    "Attempts of one network address to authenticate as a peer in a minute",
    {
      default: 60,
      min: 1,
      max: 1_000_000,
    },
  ),
  federationTransactionCacheSeconds: integer("A repeated transaction is answered from memory for this long", {
    default: hourSeconds,
    min: 1,
    max: 7 * daySeconds,
  }),
  federationNonceSeconds: integer("Lifetime of a federation nonce", { default: 300, min: 1, max: hourSeconds }),
  federationTokenRenewSeconds: integer("Our token at a peer is renewed with this much left", {
    default: 300,
    min: 0,
    max: hourSeconds,
  }),
  certificateChainBytes: integer("Largest certificate chain of a peer", {
    default: 32 * kibibyte,
    min: kibibyte,
    max: 44 * kibibyte,
  }),
  certificateIntermediates: integer("Most intermediates in a chain", { default: 5, min: 0, max: 20 }),
  certificateRsaBits: integer("Largest RSA key in a chain", { default: 4096, min: 2048, max: 16384 }),
  discoveryMinCacheSeconds: integer("A peer's discovery document is kept at least this long", {
    default: 300,
    min: 1,
    max: daySeconds,
  }),
  discoveryMaxCacheSeconds: integer("and at most this long", { default: daySeconds, min: 1, max: 30 * daySeconds }),
  discoveryFailureCacheSeconds: integer("A failed discovery is remembered this long", {
    default: 60,
    min: 1,
    max: daySeconds,
  }),
  federationConnectTimeoutSeconds: integer("Longest wait for a connection to a peer", {
    default: 10,
    min: 1,
    max: 300,
  }),
  federationConnectionMaxAgeSeconds: integer("A kept connection to a peer is replaced after this long", {
    default: 900,
    min: 1,
    max: daySeconds,
  }),
  dnsServers: list(
    "DNS servers that are asked for peers, instead of the system's",
    "list of IP[:port]",
    checkDnsServer,
  ),
  dnsTimeoutSeconds: integer("Longest wait for the addresses of a peer", { default: 5, min: 1, max: 60 }),
  dnsFailureCacheSeconds: integer("A name that could not be resolved is not asked for again this long", {
    default: 30,
    min: 0,
    max: hourSeconds,
  }),
  dnsConcurrentLookups: integer("Names of peers looked up at once, half of them for names that never resolved", {
    default: 512,
    min: 2,
    max: 10_000,
  }),
  federationRequestTimeoutSeconds: integer("Longest wait for the answer of a peer", { default: 30, min: 1, max: 600 }),
  federationResponseBytes: integer("Largest answer of a peer", {
    default: mebibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  scoreWindowSeconds: integer("A peer's score counts traffic of this long", {
    default: 7 * daySeconds,
    min: hourSeconds,
    max: 365 * daySeconds,
  }),
  scoreMinMessages: integer("A score acts only after this many messages", { default: 100, min: 1, max: 1_000_000_000 }),
  limitedBelowScore: decimal("A peer below this score is limited", { default: 0.7, min: 0, max: 1 }),
  limitedDivisor: integer("A limited peer's limits are divided by this", { default: 4, min: 1, max: 1000 }),
  automaticBlockSeconds: integer("Length of an automatic block of a peer", {
    default: 7 * daySeconds,
    min: 1,
    max: 365 * daySeconds,
  }),
  blocklistFetchSeconds: integer("Peers' published block lists are fetched this often", {
    default: 6 * hourSeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  blocklistPeerMinAgeSeconds: integer("A peer's list counts once it is known for this long", {
    default: 7 * daySeconds,
    min: 0,
    max: 365 * daySeconds,
  }),
  blocklistPeerMinMessages: integer("and has delivered this many messages", {
    default: 100,
    min: 0,
    max: 1_000_000_000,
  }),
  federationPeerRetentionSeconds: integer("A peer without contact is forgotten after this long", {
    default: 30 * daySeconds,
    min: 7 * daySeconds,
    max: 3650 * daySeconds,
  }),
  blocklistMaxPenalties: integer("Most lists that count against one server", { default: 5, min: 0, max: 1000 }),
};

/** Messages on their way to peers. */
export const outboxSettings = {
  outboxTransactionMessages: integer("Messages per outgoing transaction", { default: 100, min: 1, max: 1000 }),
  outboxTransactionBytes: integer("A transaction ends at this many bytes, with at least one message", {
    default: 8 * mebibyte,
    min: kibibyte,
    max: 256 * mebibyte,
  }),
  outboxConcurrentDestinations: integer("Destinations that a node delivers to at once", {
    default: 64,
    min: 2,
    max: 10_000,
  }),
  outboxUnreachedDestinations: integer("Destinations that were never reached and are tried at once, besides those", {
    default: 64,
    min: 2,
    max: 10_000,
  }),
  outboxInFlightBytes: integer("Bytes of messages on their way per node, one transaction at least", {
    default: 64 * mebibyte,
    min: mebibyte,
    max: 64 * gibibyte,
  }),
  outboxTurnTransactions: integer("Transactions after which a destination makes room for one that waits", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  outboxPollMillis: integer("Destinations that are due are looked for this often should a wake-up be lost", {
    default: 1000,
    min: 10,
    max: 60_000,
  }),
  outboxLeaseSeconds: integer("A transaction that has no end after this long is taken over by any node", {
    default: 300,
    min: 1,
    max: daySeconds,
  }),
  outboxClearSeconds: integer("A peer's call makes us try it again at once, this often at most", {
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
  outboxBytesPerDestination: integer("Bytes waiting for one destination", {
    default: 4 * gibibyte,
    min: mebibyte,
    max: 4096 * gibibyte,
  }),
  outboxUnreachedMessages: integer("The first of these while the destination was never reached", {
    default: 10_000,
    min: 1,
    max: 1_000_000_000,
  }),
  outboxUnreachedBytes: integer("The second of these while the destination was never reached", {
    default: 256 * mebibyte,
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
