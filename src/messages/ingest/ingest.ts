import type { CounterName, MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import { createBatcher } from "../../platform/concurrency/batcher.js";
import type { Config } from "../../platform/config/config.js";
import type { Logger } from "../../platform/logger.js";
import { passStep } from "../../platform/message-steps.js";
import type { RelayError } from "../../protocol/errors.js";
import { isUnavailability, retrying } from "../retry.js";
import {
  type Arrival,
  type Envelope,
  isRefused,
  type Outcome,
  type Refused,
  type Sender,
  type TransactionalSideEffect,
} from "../types.js";
import type { Flush } from "./flush.js";
import { type Item, isQueued, isRemote, newItem, type SideEffectOfItems } from "./item.js";

export type IngestConfig = Pick<
  Config,
  "intakeBufferMessages" | "intakeBufferBytes" | "intakeFlushMessages" | "intakeFlushBytes" | "intakeConcurrentFlushes"
>;

export interface Ingest {
  accept(sender: Sender, envelopes: readonly Envelope[], sideEffect?: TransactionalSideEffect): Promise<Outcome[]>;
  stop(): Promise<void>;
}

interface IngestDeps {
  flush: Flush;
  /** The hash by which a repetition of an envelope is recognised. */
  keyOf(sender: Sender, envelope: Envelope): string;
  /** The same in the form of earlier versions, while that matters. */
  earlierKeyOf(sender: Sender, envelope: Envelope): string | undefined;
  /** Called after a commit, before the senders have their outcomes. */
  arrived(arrivals: readonly Arrival[]): void;
  metrics: Pick<MetricsService, "count">;
  clock: Clock;
  logger: Logger;
  config: IngestConfig;
}

/** Where messages come steadily, two or three of them share a flush; one that comes alone does not wait. */
const pace = { millis: 3, fullCount: 32 };

/** The envelopes of one call. */
interface Job {
  items: Item[];
  sideEffect: TransactionalSideEffect | undefined;
}

/**
 * Batches the envelopes of many callers into flushes. A flush that fails is split in halves until the row at fault is
 * alone: no message can make another one fail.
 */
export function createIngest(deps: IngestDeps): Ingest {
  const { flush, config, metrics } = deps;
  const batcher = createBatcher<Job, Outcome[]>({
    name: "messages",
    bounds: {
      flushCount: config.intakeFlushMessages,
      flushBytes: config.intakeFlushBytes,
      waitingCount: config.intakeBufferMessages,
      waitingBytes: config.intakeBufferBytes,
      concurrent: config.intakeConcurrentFlushes,
      pace,
    },
    async flush(jobs) {
      const items = jobs.flatMap((job) => job.items);
      passStep("flushing", items, idOf);
      const local = items.filter((item) => !isRemote(item));
      await ingest(local, sideEffectsOf(jobs));
      await ingest(items.filter(isRemote));
      countOutcomes(metrics, items);
      return jobs.map((job) => job.items.map(outcomeOf));
    },
  });

  const ingest = async (items: readonly Item[], sideEffects: readonly SideEffectOfItems[] = []): Promise<void> => {
    if (items.length === 0) return;
    try {
      const arrivals = await retrying(() => flush(items, sideEffects));
      passStep("committed", items, idOf);
      deps.arrived(arrivals);
    } catch (error) {
      if (isUnavailability(error)) refuseAll(items, unavailableBecause(error));
      else if (items.length === 1) refuseOne(items, error);
      else await ingestHalves(items);
    }
  };
  const ingestHalves = async (items: readonly Item[]): Promise<void> => {
    const middle = Math.ceil(items.length / 2);
    await ingest(items.slice(0, middle));
    await ingest(items.slice(middle));
  };
  const refuseOne = (items: readonly Item[], error: unknown): void => {
    deps.logger.error({ err: error }, "a message could not be stored");
    refuseAll(items, failed);
  };

  return {
    accept(sender, envelopes, sideEffect) {
      if (envelopes.length === 0) return Promise.resolve([]);
      const acceptedAtMillis = deps.clock.nowMillis();
      const items = envelopes.map((envelope) =>
        newItem({
          sender,
          envelope,
          key: envelope.dedupKey ?? deps.keyOf(sender, envelope),
          earlierKey: deps.earlierKeyOf(sender, envelope),
          acceptedAtMillis,
        }),
      );
      passStep("parsed", items, idOf);
      const bytes = envelopes.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0);
      return batcher.add({ items, sideEffect }, { count: items.length, bytes });
    },
    stop: () => batcher.stop(),
  };
}

/** Sorted by their order. One flush writes all of them or none. */
function sideEffectsOf(jobs: readonly Job[]): SideEffectOfItems[] {
  const found = jobs.flatMap(({ items, sideEffect }) => (sideEffect === undefined ? [] : [{ items, sideEffect }]));
  return found.sort((a, b) => (a.sideEffect.order < b.sideEffect.order ? -1 : 1));
}

function idOf({ envelope }: Item): string {
  return envelope.messageId;
}

function outcomeOf({ outcome }: Item): Outcome {
  return outcome ?? failed;
}

function refuseAll(items: readonly Item[], refusal: Refused): void {
  for (const item of items) item.outcome = refusal;
}

function unavailableBecause({ message }: RelayError): Refused {
  return { error: "DATABASE_UNAVAILABLE", message: `${message}; sending the message again does no harm` };
}

const refusalCounters: Readonly<Record<string, CounterName>> = {
  RATE_LIMIT_EXCEEDED: "messages_rate_limited",
  QUEUE_FULL: "messages_queue_full",
  ADDRESS_NOT_FOUND: "messages_unknown_address",
};

function countOutcomes(metrics: Pick<MetricsService, "count">, items: readonly Item[]): void {
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

const failed: Refused = { error: "INTERNAL", message: "the message could not be stored" };
