import { constant, integer, type ValuesOf } from "../../platform/config/setting.js";
import { gibibyte, hourSeconds, mebibyte } from "../../protocol/units.js";

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
  outboxTransactionsInFlight: constant(
    "Transactions on their way to one destination at once, for different recipients",
    4,
  ),
  outboxLingerMillis: constant("Time that a node waits for more messages before it gives a destination up", 1000),
  outboxTransactionBytes: constant("Bytes at which a transaction ends; it has at least one message", 8 * mebibyte),
  outboxUnreachedDestinations: constant(
    "Never reached destinations that a node delivers to at once, beside the others",
    64,
  ),
  outboxInFlightBytes: constant(
    "Maximum bytes of messages in delivery per node; at least one transaction",
    64 * mebibyte,
  ),
  outboxPollMillis: constant(
    "Interval at which due destinations are looked for, in case a wake-up signal is lost",
    1000,
  ),
  outboxLeaseSeconds: constant("Time after which any node may take over an unfinished transaction", 300),
  outboxClearSeconds: constant("Shortest interval at which a call from a peer makes us retry it at once", 10),
  outboxMinBackoffSeconds: constant("First wait after a failed delivery", 1),
  outboxMaxBackoffSeconds: constant("Longest wait after a failed delivery", hourSeconds),
  outboxMessagesPerDestination: constant("Messages waiting for one destination", 1_000_000),
  outboxUnreachedMessages: constant("Messages waiting for one destination that was never reached", 10_000),
  outboxUnreachedBytes: constant("Bytes waiting for one destination that was never reached", 256 * mebibyte),
};

export type OutboxSettings = ValuesOf<typeof outboxSettings & typeof outboxConstants>;
