import { integer, type ValuesOf } from "../../platform/config/setting.js";

/** The limits of one call. */
export const messageSettings = {
  batchLimit: integer("Messages per batch", { default: 100, min: 1, max: 1000 }),
};

export const messageConstants = {
  onlineMessagesPerSend: integer("Online-only messages that a device may send for each message of its limit", {
    default: 25,
    min: 0,
    max: 10_000,
  }),
  recipientsLimit: integer("Recipients of one message", { default: 1000, min: 1, max: 1000 }),
};

export type MessageSettings = ValuesOf<typeof messageSettings & typeof messageConstants>;
