import type { Placement } from "../../database/placement.js";
import type { CounterName, MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../node/clock.js";
import type { Nodes } from "../../node/nodes.js";
import { createBatcher } from "../../platform/concurrency/batcher.js";
import type { Logger } from "../../platform/logger.js";
import { passStep } from "../../platform/message-steps.js";
import { RelayError } from "../../protocol/errors.js";
import { isUnavailability, retrying } from "../model/retry.js";
import {
  type Arrival,
  type Envelope,
  isRefused,
  type MessageToMany,
  type Outcome,
  type Refused,
  type Sender,
  type TransactionalSideEffect,
} from "../model/types.js";
import { type BatchConfig, boundsOf, urgencyOf, weightOf } from "./batch-bounds.js";
import type { IngestSettings } from "./config.js";
import type { Flush } from "./flush.js";
import { createLargeCalls } from "./large-calls.js";
import { type Item, idOf, isQueued, isRemote, type Job, newItem, type SideEffectOfItems } from "./model/item.js";
import { refuseUnreachable } from "./unreachable.js";

export type IngestConfig = BatchConfig & Pick<IngestSettings, "intakeLargeBytes" | "allOrNothingBytes">;

export interface Ingest {
  accept(sender: Sender, envelopes: readonly Envelope[], sideEffect?: TransactionalSideEffect): Promise<Outcome[]>;
  /**
   * The same for the envelopes of one message to many, which share a ciphertext. Throws MESSAGE_TOO_LARGE if the
   * message is all-or-nothing and too large for one transaction.
   */
  acceptToMany(sender: Sender, envelopes: readonly Envelope[], toMany: MessageToMany): Promise<Outcome[]>;
  /** Whether messages are refused because the database confirms none. */
  isStuck(): boolean;
  stop(): Promise<void>;
}

interface IngestDeps {
  flush: Flush;
  /** The hash by which a repetition of an envelope is recognised. */
  keyOf(sender: Sender, envelope: Envelope): string;
  /** Called after a commit, before the senders have their outcomes. */
  arrived(arrivals: readonly Arrival[]): void;
  metrics: Pick<MetricsService, "count">;
  clock: Clock;
  logger: Logger;
  placement: Pick<Placement, "flushPace" | "isDown" | "someAreDown" | "check">;
  nodes: Pick<Nodes, "count">;
  config: IngestConfig;
}

/**
 * Batches the envelopes of many callers into flushes. A flush that fails is split in halves until the faulty row is
 * alone, so no message can make another one fail. A message to many is split last, and never if it is all or nothing.
 */
export function createIngest(deps: IngestDeps): Ingest {
  const { flush, metrics, placement, config } = deps;
  const store = async (jobs: readonly Job[]): Promise<void> => {
    const remote = jobs.flatMap(withRemoteItems);
    const items = jobs.flatMap((job) => job.items);
    passStep("flushing", items, idOf);
    const isRemoteToo = new Set(remote);
    const local = remote.length === 0 ? items : items.filter((item) => !isRemoteToo.has(item));
    await ingest(refuseUnreachable(local, placement), sideEffectsOf(jobs));
    for (const part of flushesToForward(remote)) await ingest(refuseUnreachable(part, placement));
    countOutcomes(metrics, items);
  };
  const ingest = async (items: readonly Item[], sideEffects: readonly SideEffectOfItems[] = []): Promise<void> => {
    if (items.length === 0) return;
    try {
      const arrivals = await retrying(() => flush(items, sideEffects));
      passStep("committed", items, idOf);
      deps.arrived(arrivals);
    } catch (error) {
      if (isUnavailability(error)) await ingestReachable(items, error);
      else await ingestHalves(items, error);
    }
  };
  /** If part of the database does not answer, the items that do not need it are ingested without the others. */
  const ingestReachable = async (items: readonly Item[], error: RelayError): Promise<void> => {
    await placement.check();
    const reachable = refuseUnreachable(items, placement);
    if (reachable.length < items.length) await ingest(reachable);
    else refuseAll(items, unavailableBecause(error));
  };
  const ingestHalves = async (items: readonly Item[], error: unknown): Promise<void> => {
    const middle = middleOf(items);
    if (middle === undefined) {
      deps.logger.error({ err: error }, "a message could not be stored");
      refuseAll(items, failed);
      return;
    }
    await ingest(items.slice(0, middle));
    await ingest(items.slice(middle));
  };
  const batcher = createBatcher<Job, Outcome[]>({
    name: "messages",
    bounds: boundsOf(deps),
    async flush(jobs) {
      await store(jobs);
      return jobs.map((job) => job.items.map(outcomeOf));
    },
  });
  const largeCalls = createLargeCalls({ store: (part) => store([part]), config });
  const add = async (sender: Sender, envelopes: readonly Envelope[], job: Omit<Job, "items">): Promise<Outcome[]> => {
    if (envelopes.length === 0) return [];
    const weight = weightOf(envelopes);
    if (job.toMany?.allOrNothing && envelopes.length > 1) refuseTooLarge(weight.writtenBytes, config);
    const items = itemsOf(deps, { sender, envelopes, toMany: job.toMany });
    passStep("parsed", items, idOf);
    if (weight.writtenBytes <= config.intakeFlushBytes)
      return batcher.add({ items, ...job }, weight, urgencyOf(sender));
    await largeCalls.add({ items, ...job }, weight);
    return items.map(outcomeOf);
  };

  return {
    accept: (sender, envelopes, sideEffect) => add(sender, envelopes, { sideEffect }),
    acceptToMany: (sender, envelopes, toMany) => add(sender, envelopes, { toMany }),
    isStuck: () => batcher.isStuck(),
    async stop() {
      await Promise.all([batcher.stop(), largeCalls.stop()]);
    },
  };
}

function itemsOf(
  { clock, keyOf }: Pick<IngestDeps, "clock" | "keyOf">,
  { sender, envelopes, toMany }: Pick<Item, "sender" | "toMany"> & { envelopes: readonly Envelope[] },
): Item[] {
  const acceptedAtMillis = clock.nowMillis();
  return envelopes.map((envelope) => {
    const key = envelope.dedupKey ?? keyOf(sender, envelope);
    return newItem({ sender, envelope, key, acceptedAtMillis, toMany });
  });
}

/**
 * Groups the items of a job by flush: items for other servers have a separate flush. A message to many stays together.
 */
function withRemoteItems({ items, toMany }: Job): readonly Item[] {
  if (toMany !== undefined) return items.some(isRemote) ? items : [];
  return items.filter(isRemote);
}

/**
 * Splits a flush with messages for other servers so that no part contains both an all-or-nothing message and a message
 * that repeats it or is repeated by it: the outbox may refuse the first after the second has been decided.
 */
function flushesToForward(items: readonly Item[]): readonly (readonly Item[])[] {
  if (!items.some(({ toMany }) => toMany?.allOrNothing)) return [items];
  const flushes: Item[][] = [];
  const [keys, keysOfWhole] = [new Set<string>(), new Set<string>()];
  for (const message of messagesOf(items)) {
    const isWhole = message[0]?.toMany?.allOrNothing === true;
    if (flushes.length === 0 || message.some(({ key }) => (isWhole ? keys : keysOfWhole).has(key))) {
      flushes.push([]);
      keys.clear();
      keysOfWhole.clear();
    }
    flushes.at(-1)?.push(...message);
    for (const { key } of message) for (const set of isWhole ? [keys, keysOfWhole] : [keys]) set.add(key);
  }
  return flushes;
}

/** The items of each message. */
function messagesOf(items: readonly Item[]): Item[][] {
  const messages: Item[][] = [];
  for (const item of items) {
    const last = messages.at(-1);
    if (item.toMany !== undefined && item.toMany === last?.[0]?.toMany) last.push(item);
    else messages.push([item]);
  }
  return messages;
}

/** Where to split items whose flush failed; undefined if they cannot be split. */
function middleOf(items: readonly Item[]): number | undefined {
  const middle = Math.ceil(items.length / 2);
  const mayCut = (at: number): boolean => {
    const toMany = items[at]?.toMany;
    return at > 0 && at < items.length && (toMany === undefined || toMany !== items[at - 1]?.toMany);
  };
  for (let off = 0; off <= middle; off++) {
    if (mayCut(middle - off)) return middle - off;
    if (mayCut(middle + off)) return middle + off;
  }
  return items.length === 1 || items[0]?.toMany?.allOrNothing ? undefined : middle;
}

function refuseTooLarge(bytes: number, { allOrNothingBytes }: Pick<IngestConfig, "allOrNothingBytes">): void {
  if (bytes <= allOrNothingBytes) return;
  const message = `all_or_nothing takes at most ${allOrNothingBytes} bytes of ciphertext, counted for each recipient`;
  throw new RelayError("MESSAGE_TOO_LARGE", message);
}

/** In this order. One flush writes all of them or none. */
function sideEffectsOf(jobs: readonly Job[]): SideEffectOfItems[] {
  const found = jobs.flatMap(({ items, sideEffect }) => (sideEffect === undefined ? [] : [{ items, sideEffect }]));
  return found.sort((a, b) => (a.sideEffect.order < b.sideEffect.order ? -1 : 1));
}

function outcomeOf({ outcome }: Item): Outcome {
  return outcome ?? failed;
}

function refuseAll(items: readonly Item[], refusal: Refused): void {
  for (const item of items) item.outcome = refusal;
}

function unavailableBecause({ message }: Pick<RelayError, "message">): Refused {
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
