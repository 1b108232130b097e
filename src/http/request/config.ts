import { constant, integer, type ValuesOf } from "../../platform/config/setting.js";
import { gibibyte, kibibyte, mebibyte } from "../../protocol/units.js";

/** Bodies and connections of the HTTP server. */
export const httpSettings = {
  bodiesInFlightBytes: integer("Maximum bytes of request bodies in memory per node, from callers with a token", {
    default: 256 * mebibyte,
    min: mebibyte,
    max: 16 * gibibyte,
  }),
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
  bodyDefaultBytes: constant("Largest request body of an operation for which no other limit is set", 64 * kibibyte),
  bodyMessageOverheadBytes: constant(
    "Bytes that the body of a message may have in addition to its ciphertext",
    16 * kibibyte,
  ),
  bodyBatchBytes: constant("Largest body of a batch of messages", 32 * mebibyte),
  bodyFederationBytes: constant("Largest body of a federation delivery", 32 * mebibyte),
  bodyKeyPackagesBytes: constant("Largest body of a key-package upload", 5 * mebibyte),
  bodyStallSeconds: constant("A body is given up if none of its bytes arrives for this time", 30),
  slowBodiesPerNode: constant(
    "Bodies per node that take longer than bodyStallSeconds; beyond it the oldest is given up",
    1_000,
  ),
  slowBodiesPerCaller: constant("The same for one device, administrator, server or IP", 32),
  bodyBytesPerCaller: constant(
    "Maximum bytes of request bodies in memory from one device, administrator or server",
    96 * mebibyte,
  ),
  unauthenticatedBodiesBytes: constant(
    "Maximum bytes of request bodies in memory per node, without a token",
    32 * mebibyte,
  ),
  unauthenticatedBodyBytesPerIp: constant("The same from one IP", 4 * mebibyte),
  jsonMaxDepth: constant("Deepest nesting of a JSON body", 32),
  jsonMaxValues: constant("Maximum number of values in a JSON body, at every depth together", 50_000),
  longBodyBytes: constant(
    "Size above which a body is parsed in slices, and read only from a device or server that may send",
    mebibyte,
  ),
  idleConnectionSeconds: constant("An HTTP connection without a request is closed after this time", 65),
  pipelinedRequestsPerConnection: constant(
    "Maximum number of pipelined requests of a connection; beyond it the connection is closed after these",
    16,
  ),
  pipelinedRequestsPerNode: constant(
    "Maximum number of requests per node that wait behind another one of their connection, or did within the last second",
    1000,
  ),
  tlsHandshakeSeconds: constant("Longest time that a TLS handshake may take", 10),
  tlsHandshakesAtOnce: constant(
    "Maximum number of TLS handshakes in progress per node; beyond it, the network with most of them loses its oldest",
    1000,
  ),
  listenBacklog: constant(
    "Connections that may wait to be accepted; the system allows at most net.core.somaxconn",
    16_384,
  ),
};

export type HttpSettings = ValuesOf<typeof httpSettings & typeof httpConstants>;
