import { constant, integer, type ValuesOf } from "../../platform/config/setting.js";

/** The limits of one call. */
export const messageSettings = {
  batchLimit: integer("Messages per batch", { default: 100, min: 1, max: 1000 }),
};

export const messageConstants = {
  onlineMessagesPerSend: constant("Online-only messages that a device may send for each message of its limit", 25),
  recipientsLimit: constant("Recipients of one message", 1000),
};

export type MessageSettings = ValuesOf<typeof messageSettings & typeof messageConstants>;
