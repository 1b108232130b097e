import { integer, type ValuesOf } from "../../platform/config/setting.js";
import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte } from "../../protocol/units.js";

/** Messages on their way to peers. */
export const outboxSettings = {
  outboxConcurrentDestinations: integer("Destinations that a node delivers to at once", {
    default: 64,
    min: 2,
    max: 10_000,
  }),
  outboxBytesPerDestination: integer("Bytes waiting for one destination", {
    default: 4 * gibibyte,
    min: mebibyte,
    max: 4096 * gibibyte,
  }),
  outboxTotalMessages: integer("Messages waiting for all destinations", {
    default: 10_000_000,
    min: 1,
    max: 1_000_000_000,
  }),
  outboxTotalBytes: integer("Bytes waiting for all destinations", {
    default: 32 * gibibyte,
    min: mebibyte,
    max: 65536 * gibibyte,
  }),
};

export const outboxConstants = {
  outboxTransactionMessages: integer("Messages per outgoing transaction to servers that offer no number", {
    default: 100,
    min: 1,
    max: 1000,
  }),
  outboxLargeTransactionMessages: integer("Maximum messages per outgoing transaction to servers that offer more", {
    default: 1000,
    min: 1,
    max: 1000,
  }),
  outboxTransactionsInFlight: integer(
    "Transactions on their way to one destination at once, for different recipients",
    {
      default: 4,
      min: 1,
      max: 64,
    },
  ),
  outboxLingerMillis: integer("Time that a node waits for more messages before it gives a destination up", {
    default: 1000,
    min: 1,
    max: 60_000,
  }),
  outboxTransactionBytes: integer("Bytes at which a transaction ends; it has at least one message", {
    default: 8 * mebibyte,
    min: kibibyte,
    max: 256 * mebibyte,
  }),
  outboxUnreachedDestinations: integer(
    "Destinations never reached before that a node delivers to at once, in addition to the others",
    {
      default: 64,
      min: 2,
      max: 10_000,
    },
  ),
  outboxInFlightBytes: integer("Maximum bytes of messages in delivery per node; at least one transaction", {
    default: 64 * mebibyte,
    min: mebibyte,
    max: 64 * gibibyte,
  }),
  outboxTurnTransactions: integer("Transactions after which a destination makes room for one that waits", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  outboxPollMillis: integer("Interval at which due destinations are looked for, in case a wake-up signal is lost", {
    default: 1000,
    min: 10,
    max: 60_000,
  }),
  outboxLeaseSeconds: integer("Time after which any node may take over an unfinished transaction", {
    default: 300,
    min: 1,
    max: daySeconds,
  }),
  outboxClearSeconds: integer("Shortest interval at which a call from a peer makes us retry it at once", {
    default: 10,
    min: 0,
    max: daySeconds,
  }),
  outboxMinBackoffSeconds: integer("First wait after a failed delivery", { default: 1, min: 1, max: daySeconds }),
  outboxMaxBackoffSeconds: integer("Longest wait after a failed delivery", {
    default: hourSeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  outboxMessagesPerDestination: integer("Messages waiting for one destination", {
    default: 1_000_000,
    min: 1,
    max: 1_000_000_000,
  }),
  outboxUnreachedMessages: integer("Messages waiting for one destination that was never reached", {
    default: 10_000,
    min: 1,
    max: 1_000_000_000,
  }),
  outboxUnreachedBytes: integer("Bytes waiting for one destination that was never reached", {
    default: 256 * mebibyte,
    min: mebibyte,
    max: 4096 * gibibyte,
  }),
};

export type OutboxSettings = ValuesOf<typeof outboxSettings & typeof outboxConstants>;
