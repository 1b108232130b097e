import { constant, integer, type ValuesOf } from "../../platform/config/setting.js";
import { mebibyte } from "../../protocol/units.js";

/** Polling and acknowledging. */
export const queueSettings = {
  pollDefaultLimit: integer("Messages per page when a poll names no limit", { default: 100, min: 1, max: 1000 }),
  pollMaxLimit: integer("Maximum number of messages per page", { default: 1000, min: 1, max: 1000 }),
};

export const queueConstants = {
  pollPageBytes: constant("Bytes of ciphertext after which a page ends", 16 * mebibyte),
  ackListLimit: integer("Ids in one acknowledgement", { default: 1000, min: 1, max: 1000 }),
  nextPollPendingSeconds: constant("next_poll_interval when messages are pending", 30),
  nextPollIdleSeconds: constant("next_poll_interval when the queue is empty", 60),
};

export type QueueSettings = ValuesOf<typeof queueSettings & typeof queueConstants>;
