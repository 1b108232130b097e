import { constant, integer, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte } from "../protocol/units.js";

/** The WebSocket stream. */
export const streamSettings = {
  streamHeldBytes: integer("Maximum bytes of messages that a node's streams hold in memory", {
    default: 64 * mebibyte,
    min: mebibyte,
    max: 16 * gibibyte,
  }),
  unauthenticatedStreamsPerIp: integer("Streams per IP that have not sent their auth frame", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  streamsPerNode: integer("Open streams per node", { default: 20_000, min: 1, max: 1_000_000 }),
  reconnectSpreadSeconds: integer(
    "Longest time over which clients are asked to reconnect on shutdown (a second for each 500 streams)",
    { default: 30, min: 1, max: hourSeconds },
  ),
  streamWindow: integer("Messages sent ahead of their acknowledgements, unless a client asks for another number", {
    default: 10,
    min: 1,
    max: 1000,
  }),
  ackTimeoutSeconds: integer("Delivery pauses when no acknowledgement arrives for this time", {
    default: 60,
    min: 1,
    max: hourSeconds,
  }),
  keepaliveIntervalSeconds: integer("Interval at which pings are sent and expected", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
};

export const streamConstants = {
  reconnectsPerSecond: constant("Clients of a node that are asked to reconnect per second", 500),
  streamWindowLimit: constant(
    "Maximum number of messages that a client may have sent ahead of their acknowledgements",
    1000,
  ),
  streamSendsInFlight: constant("Messages that a client sends on its stream at once", 64),
  authFrameTimeoutSeconds: constant("Time within which a stream must send its auth frame", 10),
  keepaliveMissesAllowed: constant("Unanswered pings after which a peer is disconnected", 2),
  streamControlFramesAllowed: constant(
    "Pings and pongs that a client may send between two pings of the server; a stream with more is cut",
    100,
  ),
  frameLimitBytes: constant("Largest frame to the server", 64 * kibibyte),
  badFramesAllowed: constant("Frames outside the contract that are only answered; the next one closes the stream", 9),
  streamRefusalsAtOnce: constant("Refused frames in a row after which a stream is slowed down", 256),
  streamRefusalSeconds: constant("Time after which one more frame of a slowed stream is handled", 1),
  streamRefusalsWhileSlow: constant("Refused frames of a slowed stream after which it is ended", 60),
  streamConcurrentReads: constant("Streams of a node that read their queue at once", 4),
  streamDrainTimeoutSeconds: constant("A peer that reads nothing for this time is disconnected", 60),
  streamCloseTimeoutSeconds: constant(
    "Time that a client has to close a stream that was refused or ended for its frames",
    5,
  ),
  maxMessageBacklog: constant("Messages waiting on a stream above which clients should poll", 1000),
  connectionTimeoutSeconds: constant("Longest lifetime of a stream", daySeconds),
  unauthenticatedStreamsPerNode: constant("Streams per node that have not sent their auth frame", 1000),
  nextPollFallbackSeconds: constant("next_poll_fallback that a stream receives", 30),
};

export type StreamSettings = ValuesOf<typeof streamSettings & typeof streamConstants>;
