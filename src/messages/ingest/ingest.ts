import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import { createBatcher } from "../../platform/concurrency/batcher.js";
import type { Config } from "../../platform/config/config.js";
import type { Logger } from "../../platform/logger.js";
import type { RelayError } from "../../protocol/errors.js";
import type { Envelope, Outcome, Refused, Sender, TransactionalSideEffect } from "../types.js";
import { countOutcomes } from "./count-outcomes.js";
import type { Arrival, Flush } from "./flush.js";
import { type Item, isRemote, newItem, type SideEffectOfItems } from "./item.js";
import { isUnavailability, retrying } from "./retry.js";

export type IntakeConfig = Pick<
  Config,
  "intakeBufferMessages" | "intakeBufferBytes" | "intakeFlushMessages" | "intakeFlushBytes" | "intakeConcurrentFlushes"
>;

export interface Ingest {
  accept(sender: Sender, envelopes: readonly Envelope[], sideEffect?: TransactionalSideEffect): Promise<Outcome[]>;
  stop(): Promise<void>;
}

interface IntakeDeps {
  flush: Flush;
  /** The hash that an envelope is recognised by. */
  keyOf(sender: Sender, envelope: Envelope): string;
  /** The same in its earlier form, where that still matters. */
  earlierKeyOf(sender: Sender, envelope: Envelope): string | undefined;
  /** Told of what was committed, before its senders are. */
  arrived(arrivals: readonly Arrival[]): void;
  metrics: Pick<MetricsService, "count">;
  clock: Clock;
  logger: Logger;
  config: IntakeConfig;
}

/** The envelopes of one call. */
interface Job {
  items: Item[];
  sideEffect: TransactionalSideEffect | undefined;
}

/**
 * Gathers the envelopes of many callers into flushes. A flush that fails for a reason that lies in one row is split
 * until that row stands alone: no message can make another one fail.
 */
export function createIngest(deps: IntakeDeps): Ingest {
  const { flush, config, metrics } = deps;
  const batcher = createBatcher<Job, Outcome[]>({
    name: "messages",
    bounds: {
      flushCount: config.intakeFlushMessages,
      flushBytes: config.intakeFlushBytes,
      waitingCount: config.intakeBufferMessages,
      waitingBytes: config.intakeBufferBytes,
      concurrent: config.intakeConcurrentFlushes,
    },
    async flush(jobs) {
      const items = jobs.flatMap((job) => job.items);
      const here = items.filter((item) => !isRemote(item));
      await deliver(here, sideEffectsOf(jobs));
      await deliver(items.filter(isRemote));
      countOutcomes(metrics, items);
      return jobs.map((job) => job.items.map(outcomeOf));
    },
  });

  const deliver = async (items: readonly Item[], sideEffects: readonly SideEffectOfItems[] = []): Promise<void> => {
    if (items.length === 0) return;
    try {
      deps.arrived(await retrying(() => flush(items, sideEffects)));
    } catch (error) {
      if (isUnavailability(error)) refuseAll(items, unavailableBecause(error));
      else if (items.length === 1) refuseOne(items, error);
      else await deliverHalves(items);
    }
  };
  const deliverHalves = async (items: readonly Item[]): Promise<void> => {
    const middle = Math.ceil(items.length / 2);
    await deliver(items.slice(0, middle));
    await deliver(items.slice(middle));
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
          ...{ sender, envelope, acceptedAtMillis },
          key: envelope.key ?? deps.keyOf(sender, envelope),
          earlierKey: deps.earlierKeyOf(sender, envelope),
        }),
      );
      const bytes = envelopes.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0);
      return batcher.add({ items, sideEffect }, { count: items.length, bytes });
    },
    stop: () => batcher.stop(),
  };
}

/** In their order; one flush takes them all or none. */
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

function unavailableBecause({ message }: RelayError): Refused {
  return { error: "DATABASE_UNAVAILABLE", message: `${message}; sending the message again does no harm` };
}

const failed: Refused = { error: "INTERNAL", message: "the message could not be stored" };
