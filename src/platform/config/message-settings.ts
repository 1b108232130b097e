import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte } from "../../protocol/units.js";
import { integer } from "./setting.js";

/** Sending, queues, polling and acknowledging. */
export const messageSettings = {
  intakeBufferMessages: integer("Messages that may wait for a flush per node; beyond it sending is refused", {
    default: 20_000,
    min: 1,
    max: 10_000_000,
  }),
  intakeBufferBytes: integer("Bytes that may wait for a flush per node, and bytes of its large calls", {
    default: 256 * mebibyte,
    min: mebibyte,
    max: 16 * gibibyte,
  }),
  sendWaitMillis: integer(
    "Longest expected wait of a message before it is stored; beyond it sending is refused at once",
    {
      default: 250,
      min: 1,
      max: 600_000,
    },
  ),
};

export const messageConstants = {
  batchLimit: integer("Messages per batch", { default: 100, min: 1, max: 100 }),
  recipientsLimit: integer("Recipients of one message", { default: 1000, min: 1, max: 1000 }),
  pollDefaultLimit: integer("Messages per page when a poll names no limit", { default: 100, min: 1, max: 1000 }),
  pollMaxLimit: integer("Most messages per page", { default: 1000, min: 1, max: 1000 }),
  pollPageBytes: integer("Bytes of ciphertext after which a page ends", {
    default: 16 * mebibyte,
    min: kibibyte,
    max: 256 * mebibyte,
  }),
  ackListLimit: integer("Ids in one acknowledgement", { default: 1000, min: 1, max: 1000 }),
  nextPollPendingSeconds: integer("next_poll_interval when messages are pending", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
  nextPollIdleSeconds: integer("next_poll_interval when the queue is empty", { default: 60, min: 1, max: hourSeconds }),
  missesPerSendLimit: integer(
    "Misses (repetitions, unknown recipients, refused requests) allowed per message of a device's limit",
    {
      default: 3,
      min: 1,
      max: 1000,
    },
  ),
  intakeFlushMessages: integer("Messages per flush", { default: 1024, min: 1, max: 100_000 }),
  intakeFlushBytes: integer(
    "Bytes of ciphertext after which a flush ends, counted for each recipient; a call with more is large and stored in parts",
    { default: 8 * mebibyte, min: mebibyte, max: gibibyte },
  ),
  intakeLargeBytes: integer(
    "Bytes of ciphertext, counted for each recipient, of the large calls under way per node; one is always accepted",
    { default: gibibyte, min: mebibyte, max: 64 * gibibyte },
  ),
  intakeConcurrentFlushes: integer("Flushes running at once per node", { default: 2, min: 1, max: 64 }),
  intakeSlowFlushes: integer("Flushes of more than 100 ms beside which others begin per node", {
    default: 2,
    min: 0,
    max: 64,
  }),
  intakeStuckMillis: integer(
    "Time without a flush that ends after which messages are refused with DATABASE_UNAVAILABLE",
    {
      default: 5_000,
      min: 100,
      max: 3_600_000,
    },
  ),
  allOrNothingBytes: integer("Bytes of ciphertext, counted for each recipient, of an all-or-nothing message", {
    default: 128 * mebibyte,
    min: mebibyte,
    max: gibibyte,
  }),
  intakePaceMillis: integer(
    "Least time between the starts of two flushes of messages, where these come steadily; times the number of nodes, up to 12",
    { default: 3, min: 0, max: 1000 },
  ),
  sendsAlwaysTaken: integer("Single messages in progress per node that are accepted regardless of the expected wait", {
    default: 320,
    min: 1,
    max: 1_000_000,
  }),
  batchesAlwaysTaken: integer("Batches in progress per node that are accepted regardless of the expected wait", {
    default: 32,
    min: 1,
    max: 1_000_000,
  }),
  ackBufferItems: integer("Acknowledgements that may wait for a flush per node", {
    default: 50_000,
    min: 1,
    max: 10_000_000,
  }),
  ackFlushItems: integer("Acknowledgements per flush", { default: 2000, min: 1, max: 100_000 }),
  ackPaceMillis: integer("Least time between the starts of two flushes of acknowledgements", {
    default: 25,
    min: 0,
    max: 1000,
  }),
  expiryIntervalSeconds: integer("Interval at which expired rows are removed", {
    default: 60,
    min: 1,
    max: daySeconds,
  }),
  expiryStepRows: integer("Rows removed by one statement", { default: 1000, min: 1, max: 100_000 }),
};

/** The WebSocket stream. */
export const streamSettings = {
  streamHeldBytes: integer("Most bytes of messages that the streams of a node hold in memory until they can be sent", {
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
    "On shutdown clients are asked to reconnect at times spread evenly over a second for each 500 streams, and over this long at most",
    { default: 30, min: 1, max: hourSeconds },
  ),
};

export const streamConstants = {
  reconnectsPerSecond: integer("How many of a node's clients are asked to reconnect within one second", {
    default: 500,
    min: 1,
    max: 1_000_000,
  }),
  streamWindow: integer("Messages sent ahead of their acknowledgements, where a client asks for no other number", {
    default: 10,
    min: 1,
    max: 1000,
  }),
  streamWindowLimit: integer("Most messages that a client may have sent ahead of their acknowledgements", {
    default: 1000,
    min: 1,
    max: 1000,
  }),
  streamSendsInFlight: integer("Messages that a client sends on its stream at once", {
    default: 64,
    min: 1,
    max: 1000,
  }),
  ackTimeoutSeconds: integer("Delivery pauses when no acknowledgement arrives for this time", {
    default: 60,
    min: 1,
    max: hourSeconds,
  }),
  authFrameTimeoutSeconds: integer("Time within which a stream must send its auth frame", {
    default: 10,
    min: 1,
    max: 600,
  }),
  keepaliveIntervalSeconds: integer("Interval at which pings are sent and expected", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
  keepaliveMissesAllowed: integer("Unanswered pings after which a peer is disconnected", {
    default: 2,
    min: 1,
    max: 100,
  }),
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
  replacementsPerMinute: integer("Replacements of a device's stream per minute", { default: 5, min: 1, max: 10_000 }),
  maxConnectionsPerDevice: integer("Streams per device", { default: 1, min: 1, max: 1 }),
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
  streamSafetyPollSeconds: integer(
    "Interval at which streams are compared with their queues, in case a notification is lost",
    {
      default: 5,
      min: 1,
      max: 600,
    },
  ),
  nextPollFallbackSeconds: integer("next_poll_fallback that a stream receives", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
};
