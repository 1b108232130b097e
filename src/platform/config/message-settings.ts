import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte } from "../../protocol/units.js";
import { integer } from "./setting.js";

/** Sending, queues, polling and acknowledging. */
export const messageSettings = {
  batchLimit: integer("Messages per batch", { default: 100, min: 1, max: 100 }),
  pollDefaultLimit: integer("Messages per page where a poll names no limit", { default: 100, min: 1, max: 1000 }),
  pollMaxLimit: integer("Most messages per page", { default: 1000, min: 1, max: 1000 }),
  pollPageBytes: integer("A page ends at this many bytes of ciphertext", {
    default: 16 * mebibyte,
    min: kibibyte,
    max: 256 * mebibyte,
  }),
  ackListLimit: integer("Ids in one acknowledgement", { default: 1000, min: 1, max: 1000 }),
  nextPollPendingSeconds: integer("next_poll_interval with messages pending", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
  nextPollIdleSeconds: integer("next_poll_interval with an empty queue", { default: 60, min: 1, max: hourSeconds }),
  missesPerSendLimit: integer("Duplicates and unknown recipients a device may have per message of its limit", {
    default: 3,
    min: 1,
    max: 1000,
  }),
  intakeBufferMessages: integer("Messages that may wait for a flush per node; beyond it sending is refused", {
    default: 20_000,
    min: 1,
    max: 10_000_000,
  }),
  intakeBufferBytes: integer("Bytes that may wait for a flush per node", {
    default: 256 * mebibyte,
    min: mebibyte,
    max: 16 * gibibyte,
  }),
  intakeFlushMessages: integer("Messages per flush", { default: 1024, min: 1, max: 100_000 }),
  intakeFlushBytes: integer("A flush ends at this many bytes of ciphertext", {
    default: 32 * mebibyte,
    min: mebibyte,
    max: gibibyte,
  }),
  intakeConcurrentFlushes: integer("Flushes running at once per node", { default: 2, min: 1, max: 64 }),
  sendWaitMillis: integer("A send is refused at once where those before it would make it wait for longer", {
    default: 250,
    min: 1,
    max: 600_000,
  }),
  sendsAlwaysTaken: integer("Single sends under way per node that are not refused however long they take", {
    default: 320,
    min: 1,
    max: 1_000_000,
  }),
  batchesAlwaysTaken: integer("The same of batches", { default: 32, min: 1, max: 1_000_000 }),
  ackBufferItems: integer("Acknowledgements that may wait for a flush per node", {
    default: 50_000,
    min: 1,
    max: 10_000_000,
  }),
  ackFlushItems: integer("Acknowledgements per flush", { default: 2000, min: 1, max: 100_000 }),
  expiryIntervalSeconds: integer("Expired rows are removed this often", { default: 60, min: 1, max: daySeconds }),
  expiryStepRows: integer("Rows removed by one statement of the expiry", { default: 1000, min: 1, max: 100_000 }),
};

/** The WebSocket stream. */
export const streamSettings = {
  streamWindow: integer("Messages sent ahead of their acknowledgements", { default: 10, min: 1, max: 10_000 }),
  ackTimeoutSeconds: integer("Without an acknowledgement for this long delivery pauses", {
    default: 60,
    min: 1,
    max: hourSeconds,
  }),
  authFrameTimeoutSeconds: integer("A stream has this long to send its auth frame", { default: 10, min: 1, max: 600 }),
  keepaliveIntervalSeconds: integer("Pings are sent, and expected, this often", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
  keepaliveMissesAllowed: integer("A peer that leaves this many pings unanswered is dropped", {
    default: 2,
    min: 1,
    max: 100,
  }),
  frameLimitBytes: integer("Largest frame to the server", {
    default: 64 * kibibyte,
    min: kibibyte,
    max: 16 * mebibyte,
  }),
  badFramesAllowed: integer(
    "Frames outside the contract that are only answered; the next one closes the stream as well",
    {
      default: 9,
      min: 0,
      max: 1000,
    },
  ),
  streamBufferBytes: integer("The next message is sent only while less than this is buffered", {
    default: mebibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  streamHeldBytes: integer("Bytes of messages that the streams of a node keep in memory until they can be sent", {
    default: 64 * mebibyte,
    min: mebibyte,
    max: 16 * gibibyte,
  }),
  streamConcurrentReads: integer("Streams of a node that read their queue at once", { default: 4, min: 1, max: 256 }),
  streamDrainTimeoutSeconds: integer("A peer that takes nothing for this long is too slow", {
    default: 60,
    min: 1,
    max: hourSeconds,
  }),
  streamCloseTimeoutSeconds: integer("A client has this long to answer the end of a stream that was refused", {
    default: 5,
    min: 1,
    max: 600,
  }),
  replacementsPerMinute: integer("Replacements of a device's stream per minute", { default: 5, min: 1, max: 10_000 }),
  maxConnectionsPerDevice: integer("Streams per device", { default: 1, min: 1, max: 1 }),
  maxMessageBacklog: integer("Messages a stream may have waiting before clients should poll", {
    default: 1000,
    min: 1,
    max: 1_000_000,
  }),
  connectionTimeoutSeconds: integer("Longest life of one stream", {
    default: daySeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  unauthenticatedStreamsPerIp: integer("Streams per IP that have not sent their auth frame", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  unauthenticatedStreamsPerNode: integer("The same per node", { default: 1000, min: 1, max: 1_000_000 }),
  streamsPerNode: integer("Open streams per node", { default: 20_000, min: 1, max: 1_000_000 }),
  streamSafetyPollSeconds: integer("A stream looks for messages this often should a wake-up be lost", {
    default: 5,
    min: 1,
    max: 600,
  }),
  nextPollFallbackSeconds: integer("next_poll_fallback told to a stream", { default: 30, min: 1, max: hourSeconds }),
  reconnectSpreadSeconds: integer("On shutdown clients are asked to come back within this time, spread evenly", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
};
