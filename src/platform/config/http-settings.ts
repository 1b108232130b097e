import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte } from "../../protocol/units.js";
import { integer } from "./setting.js";

/** Bodies and connections of the HTTP side. */
export const httpSettings = {
  bodyDefaultBytes: integer("Largest body of a request without a limit of its own", {
    default: 64 * kibibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  bodyMessageOverheadBytes: integer("A message's body may have this many bytes besides its ciphertext", {
    default: 16 * kibibyte,
    min: kibibyte,
    max: mebibyte,
  }),
  bodyBatchBytes: integer("Largest body of a batch of messages", {
    default: 32 * mebibyte,
    min: kibibyte,
    max: 256 * mebibyte,
  }),
  bodyFederationBytes: integer("Largest body of a federation delivery", {
    default: 32 * mebibyte,
    min: kibibyte,
    max: 256 * mebibyte,
  }),
  bodyKeyPackagesBytes: integer("Largest body of a key-package upload", {
    default: 3 * mebibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  bodyTimeoutSeconds: integer("A body has this long to arrive", { default: 30, min: 1, max: 600 }),
  bodiesInFlightBytes: integer(
    "Bodies of callers with a token in memory at once per node; beyond it they are refused",
    {
      default: 256 * mebibyte,
      min: mebibyte,
      max: 16 * gibibyte,
    },
  ),
  bodyBytesPerCaller: integer("The same of one device, administrator or other server", {
    default: 96 * mebibyte,
    min: mebibyte,
    max: 16 * gibibyte,
  }),
  unauthenticatedBodiesBytes: integer("Bodies of requests that need no token in memory at once per node", {
    default: 32 * mebibyte,
    min: mebibyte,
    max: 16 * gibibyte,
  }),
  unauthenticatedBodyBytesPerIp: integer("The same of one IP", {
    default: 4 * mebibyte,
    min: 64 * kibibyte,
    max: 16 * gibibyte,
  }),
  jsonMaxDepth: integer("Deepest nesting of a JSON body", { default: 32, min: 4, max: 1000 }),
  ipv6SiteFactor: integer("An IPv6 /48 may do this many times what a /64 of it may, where IPs are counted", {
    default: 16,
    min: 1,
    max: 65_536,
  }),
  jsonMaxValues: integer("Most values in a JSON body, at every depth", { default: 50_000, min: 1000, max: 10_000_000 }),
  longBodyBytes: integer("A body of a message or batch over this is read only from a device that may send", {
    default: mebibyte,
    min: kibibyte,
    max: 256 * mebibyte,
  }),
  headersTimeoutSeconds: integer("A request's headers have this long to arrive", { default: 10, min: 1, max: 600 }),
  idleConnectionSeconds: integer("An HTTP connection without a request is closed after this long", {
    default: 65,
    min: 1,
    max: hourSeconds,
  }),
  connectionsPerNode: integer("Most open connections per node", { default: 50_000, min: 10, max: 1_000_000 }),
  connectionsPerIp: integer("The same of one IP; those of trusted proxies are not counted", {
    default: 2_000,
    min: 1,
    max: 1_000_000,
  }),
  answerStallSeconds: integer("An answer of which its client takes nothing for this long is closed", {
    default: 60,
    min: 1,
    max: hourSeconds,
  }),
  answersInFlightBytes: integer("Answers waiting to be taken per node; beyond it those that move least are closed", {
    default: 256 * mebibyte,
    min: mebibyte,
    max: 16 * gibibyte,
  }),
  tlsHandshakeSeconds: integer("A TLS handshake with this server may take this long", {
    default: 10,
    min: 1,
    max: 600,
  }),
  tlsHandshakesAtOnce: integer("TLS handshakes under way at once per node; beyond it connections are closed", {
    default: 1000,
    min: 1,
    max: 1_000_000,
  }),
  listenBacklog: integer("Connections that may wait to be taken up; the system allows net.core.somaxconn of them", {
    default: 16_384,
    min: 1,
    max: 65_535,
  }),
};

/** Signed requests, tokens and the sessions behind them. */
export const tokenSettings = {
  timestampWindowPastSeconds: integer("A signed request may be this old", { default: 300, min: 1, max: daySeconds }),
  timestampWindowFutureSeconds: integer("A signed request's time may lie this far ahead", {
    default: 60,
    min: 0,
    max: daySeconds,
  }),
  deviceTokenSeconds: integer("Lifetime of a device's access token", {
    default: daySeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  adminTokenSeconds: integer("Lifetime of an admin token", { default: hourSeconds, min: 1, max: daySeconds }),
  federationTokenSeconds: integer("Lifetime of a federation token", { default: hourSeconds, min: 1, max: daySeconds }),
  deviceSessionSeconds: integer("A device's token can be refreshed up to this age of the announcement", {
    default: 7 * daySeconds,
    min: 1,
    max: 365 * daySeconds,
  }),
  adminSessionSeconds: integer("An admin's token can be refreshed up to this age of the login", {
    default: 12 * hourSeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  tokenCacheEntries: integer("Results of token signature checks kept per node", {
    default: 50_000,
    min: 1,
    max: 10_000_000,
  }),
  retiredKeySeconds: integer("A rotated-out signing key verifies for this long, and no token lives longer", {
    default: 31 * daySeconds,
    min: daySeconds,
    max: 365 * daySeconds,
  }),
  signingKeyReloadSeconds: integer("Unknown key ids reload the signing keys at most this often", {
    default: 1,
    min: 1,
    max: hourSeconds,
  }),
};
