import { integer, type ValuesOf } from "../../platform/config/setting.js";
import { gibibyte, mebibyte } from "../../protocol/units.js";

/** Ingest of messages. */
export const ingestSettings = {
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

export const ingestConstants = {
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
    "Minimum time between the starts of two flushes of messages while the node is busy; times the number of nodes, up to 12",
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
};

export type IngestSettings = ValuesOf<typeof ingestSettings & typeof ingestConstants>;
