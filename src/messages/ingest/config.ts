import { constant, integer, type ValuesOf } from "../../platform/config/setting.js";
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
  missesPerSendLimit: constant(
    "Misses (repetitions, unknown recipients, refused requests) allowed per message of a device's limit; those of a message to many count by the same shares as its recipients",
    3,
  ),
  intakeFlushMessages: constant("Messages per flush", 1024),
  intakeFlushBytes: constant(
    "Bytes of ciphertext per flush, counted for each recipient; a larger call is stored in parts",
    8 * mebibyte,
  ),
  intakeLargeBytes: constant(
    "Bytes of ciphertext, counted for each recipient, of large calls in progress per node; one is always accepted",
    gibibyte,
  ),
  intakeConcurrentFlushes: constant("Flushes running at once per node", 2),
  intakeSlowFlushes: constant("Flushes of more than 100 ms beside which others begin per node", 2),
  intakeStuckMillis: constant(
    "Time without a flush that ends after which messages are refused with DATABASE_UNAVAILABLE",
    5_000,
  ),
  allOrNothingBytes: constant(
    "Bytes of ciphertext, counted for each recipient, of an all-or-nothing message",
    128 * mebibyte,
  ),
  sendsAlwaysTaken: constant(
    "Single messages in progress per node that are accepted regardless of the expected wait",
    320,
  ),
  batchesAlwaysTaken: constant("Batches in progress per node that are accepted regardless of the expected wait", 32),
};

export type IngestSettings = ValuesOf<typeof ingestSettings & typeof ingestConstants>;
