import type { CounterName, MetricsService } from "../../metrics/service.js";
import { isRefused, type Outcome } from "../types.js";
import { type Item, isQueued } from "./item.js";

const refusalCounters: Readonly<Record<string, CounterName>> = {
  RATE_LIMIT_EXCEEDED: "messages_rate_limited",
  QUEUE_FULL: "messages_queue_full",
  ADDRESS_NOT_FOUND: "messages_unknown_address",
};

/** Counts what became of the items of a flush. */
export function countOutcomes(metrics: Pick<MetricsService, "count">, items: readonly Item[]): void {
  for (const item of items) {
    const counter = item.outcome === undefined ? undefined : counterOf(item.outcome);
    if (counter !== undefined) metrics.count(counter);
    else if (item.sender.kind === "device") metrics.count("messages_sent");
    else metrics.count("federated_messages_received");
    if (!isQueued(item)) continue;
    metrics.count("messages_received");
    metrics.count("messages_bytes", item.envelope.ciphertext.length);
  }
}

function counterOf(outcome: Outcome): CounterName | undefined {
  if (isRefused(outcome)) return refusalCounters[outcome.error] ?? "messages_failed";
  return outcome.status === "duplicate" ? "messages_duplicate" : undefined;
}
