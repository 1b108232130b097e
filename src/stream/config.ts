import { integer, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte } from "../protocol/units.js";

/** The WebSocket stream. */
export const streamSettings = {
  streamHeldBytes: integer(
    "Maximum bytes of messages that the streams of a node hold in memory until they can be sent",
    {
      default: 64 * mebibyte,
      min: mebibyte,
      max: 16 * gibibyte,
    },
  ),
  unauthenticatedStreamsPerIp: integer("Streams per IP that have not sent their auth frame", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  streamsPerNode: integer("Open streams per node", { default: 20_000, min: 1, max: 1_000_000 }),
  reconnectSpreadSeconds: integer(
    "On shutdown clients are asked to reconnect at times spread evenly over a second for each 500 streams, and over this long at most",
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
  reconnectsPerSecond: integer("How many of a node's clients are asked to reconnect within one second", {
    default: 500,
    min: 1,
    max: 1_000_000,
  }),
  streamWindowLimit: integer("Maximum number of messages that a client may have sent ahead of their acknowledgements", {
    default: 1000,
    min: 1,
    max: 1000,
  }),
  streamSendsInFlight: integer("Messages that a client sends on its stream at once", {
    default: 64,
    min: 1,
    max: 1000,
  }),
  authFrameTimeoutSeconds: integer("Time within which a stream must send its auth frame", {
    default: 10,
    min: 1,
    max: 600,
  }),
  keepaliveMissesAllowed: integer("Unanswered pings after which a peer is disconnected", {
    default: 2,
    min: 1,
    max: 100,
  }),
  streamControlFramesAllowed: integer(
    "Pings and pongs that a client may send between two pings of the server; a stream with more is cut",
    { default: 100, min: 1, max: 1_000_000 },
  ),
  frameLimitBytes: integer("Largest frame to the server", {
    default: 64 * kibibyte,
    min: kibibyte,
    max: 16 * mebibyte,
  }),
  badFramesAllowed: integer("Frames outside the contract that are only answered; the next one closes the stream", {
    default: 9,
    min: 0,
    max: 1000,
  }),
  streamRefusalsAtOnce: integer("Refused frames in a row after which a stream is slowed down", {
    default: 256,
    min: 1,
    max: 100_000,
  }),
  streamRefusalSeconds: integer("Time after which one more frame of a slowed stream is handled", {
    default: 1,
    min: 1,
    max: hourSeconds,
  }),
  streamRefusalsWhileSlow: integer("Refused frames of a slowed stream after which it is ended", {
    default: 60,
    min: 1,
    max: 100_000,
  }),
  streamBufferBytes: integer("The next message is sent only while fewer bytes than this are buffered", {
    default: mebibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  streamConcurrentReads: integer("Streams of a node that read their queue at once", { default: 4, min: 1, max: 256 }),
  streamDrainTimeoutSeconds: integer("A peer that reads nothing for this time is disconnected", {
    default: 60,
    min: 1,
    max: hourSeconds,
  }),
  streamCloseTimeoutSeconds: integer(
    "Time that a client has to close a stream that was refused or ended for its frames",
    {
      default: 5,
      min: 1,
      max: 600,
    },
  ),
  maxMessageBacklog: integer("Messages waiting on a stream above which clients should poll", {
    default: 1000,
    min: 1,
    max: 1_000_000,
  }),
  connectionTimeoutSeconds: integer("Longest lifetime of a stream", {
    default: daySeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  unauthenticatedStreamsPerNode: integer("Streams per node that have not sent their auth frame", {
    default: 1000,
    min: 1,
    max: 1_000_000,
  }),
  nextPollFallbackSeconds: integer("next_poll_fallback that a stream receives", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
};

export type StreamSettings = ValuesOf<typeof streamSettings & typeof streamConstants>;
