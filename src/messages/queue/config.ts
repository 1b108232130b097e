import { integer, type ValuesOf } from "../../platform/config/setting.js";
import { hourSeconds, kibibyte, mebibyte } from "../../protocol/units.js";

/** Polling and acknowledging. */
export const queueConstants = {
  pollDefaultLimit: integer("Messages per page when a poll names no limit", { default: 100, min: 1, max: 1000 }),
  pollMaxLimit: integer("Maximum number of messages per page", { default: 1000, min: 1, max: 1000 }),
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
  ackBufferItems: integer("Acknowledgements that may wait for a flush per node", {
    default: 50_000,
    min: 1,
    max: 10_000_000,
  }),
  ackFlushItems: integer("Acknowledgements per flush", { default: 2000, min: 1, max: 100_000 }),
  ackPaceMillis: integer("Minimum time between the starts of two flushes of acknowledgements", {
    default: 25,
    min: 0,
    max: 1000,
  }),
};

export type QueueSettings = ValuesOf<typeof queueConstants>;
