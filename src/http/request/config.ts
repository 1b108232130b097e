import { integer, type ValuesOf } from "../../platform/config/setting.js";
import { gibibyte, hourSeconds, kibibyte, mebibyte } from "../../protocol/units.js";

/** Bodies and connections of the HTTP server. */
export const httpSettings = {
  bodiesInFlightBytes: integer(
    "Maximum bytes of request bodies in memory at once per node, from callers with a token; more are refused",
    {
      default: 256 * mebibyte,
      min: mebibyte,
      max: 16 * gibibyte,
    },
  ),
  connectionsPerNode: integer("Maximum number of open connections per node", {
    default: 50_000,
    min: 10,
    max: 1_000_000,
  }),
  connectionsPerIp: integer(
    "Maximum number of open connections from one IP; those of trusted proxies are not counted",
    {
      default: 2_000,
      min: 1,
      max: 1_000_000,
    },
  ),
  answersInFlightBytes: integer(
    "Maximum bytes of unread responses per node; beyond it the slowest clients are disconnected",
    {
      default: 256 * mebibyte,
      min: mebibyte,
      max: 16 * gibibyte,
    },
  ),
};

export const httpConstants = {
  bodyDefaultBytes: integer("Largest request body of an operation without a limit of its own", {
    default: 64 * kibibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  bodyMessageOverheadBytes: integer("Bytes that the body of a message may have in addition to its ciphertext", {
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
    default: 5 * mebibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  bodyStallSeconds: integer("A body is given up if none of its bytes arrives for this time", {
    default: 30,
    min: 1,
    max: 600,
  }),
  slowBodiesPerNode: integer(
    "Bodies that take longer than bodyStallSeconds per node, with and without a token; beyond it the oldest one is given up",
    { default: 1_000, min: 1, max: 1_000_000 },
  ),
  slowBodiesPerCaller: integer("The same for one device, administrator, server or IP", {
    default: 32,
    min: 1,
    max: 1_000_000,
  }),
  bodyBytesPerCaller: integer(
    "Maximum bytes of request bodies in memory at once from one device, administrator or server",
    {
      default: 96 * mebibyte,
      min: mebibyte,
      max: 16 * gibibyte,
    },
  ),
  unauthenticatedBodiesBytes: integer(
    "Maximum bytes of request bodies in memory at once per node, for requests that need no token",
    {
      default: 32 * mebibyte,
      min: mebibyte,
      max: 16 * gibibyte,
    },
  ),
  unauthenticatedBodyBytesPerIp: integer("Maximum bytes of such request bodies in memory at once from one IP", {
    default: 4 * mebibyte,
    min: 64 * kibibyte,
    max: 16 * gibibyte,
  }),
  jsonMaxDepth: integer("Deepest nesting of a JSON body", { default: 32, min: 4, max: 1000 }),
  jsonMaxValues: integer("Maximum number of values in a JSON body, at every depth together", {
    default: 50_000,
    min: 1000,
    max: 10_000_000,
  }),
  longBodyBytes: integer(
    "A body larger than this is read only from a device or server that may send, and parsed in slices",
    {
      default: mebibyte,
      min: kibibyte,
      max: 256 * mebibyte,
    },
  ),
  idleConnectionSeconds: integer("An HTTP connection without a request is closed after this time", {
    default: 65,
    min: 1,
    max: hourSeconds,
  }),
  pipelinedRequestsPerConnection: integer(
    "Maximum number of requests of a connection that wait for their answers at once; beyond it the connection is closed after these",
    { default: 16, min: 1, max: 1000 },
  ),
  pipelinedRequestsPerNode: integer(
    "Maximum number of requests per node that wait behind another one of their connection, or did within the last second",
    { default: 1000, min: 0, max: 1_000_000 },
  ),
  tlsHandshakeSeconds: integer("Longest time that a TLS handshake may take", {
    default: 10,
    min: 1,
    max: 600,
  }),
  tlsHandshakesAtOnce: integer(
    "Maximum number of TLS handshakes in progress per node; beyond it, the network with most of them loses its oldest",
    {
      default: 1000,
      min: 1,
      max: 1_000_000,
    },
  ),
  listenBacklog: integer("Connections that may wait to be accepted; the system allows at most net.core.somaxconn", {
    default: 16_384,
    min: 1,
    max: 65_535,
  }),
};

export type HttpSettings = ValuesOf<typeof httpSettings & typeof httpConstants>;
