import type { CounterName, MetricsService } from "../../metrics/service.js";
import { isRefused, type Outcome } from "../model/types.js";
import { type Answered, isQueued, type Parsed } from "./model/stages.js";

const refusalCounters: Readonly<Record<string, CounterName>> = {
  RATE_LIMIT_EXCEEDED: "messages_rate_limited",
  QUEUE_FULL: "messages_queue_full",
  ADDRESS_NOT_FOUND: "messages_unknown_address",
};

/** Counts what became of messages in the metrics. `answers` are in the order of the messages. */
export function countOutcomes(
  metrics: Pick<MetricsService, "count">,
  parsed: readonly Parsed[],
  answers: readonly Answered[],
): void {
  parsed.forEach(({ sender, envelope }, i) => {
    const answer = answers[i] as Answered;
    metrics.count(counterOf(answer.outcome) ?? acceptedFrom[sender.kind]);
    if (!isQueued(answer)) return;
    metrics.count("messages_received");
    metrics.count("messages_bytes", envelope.ciphertext.length);
  });
}

const acceptedFrom = { device: "messages_sent", peer: "federated_messages_received" } as const;

function counterOf(outcome: Outcome): CounterName | undefined {
  if (isRefused(outcome)) return refusalCounters[outcome.error] ?? "messages_failed";
  return outcome.status === "duplicate" ? "messages_duplicate" : undefined;
}
