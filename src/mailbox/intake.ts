import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import type { Logger } from "../platform/logger.js";
import type { RelayError } from "../protocol/errors.js";
import { countOutcomes } from "./counting.js";
import type { Enclosed, Envelope, Outcome, Refused, Sender } from "./envelope.js";
import type { Arrival, Flush } from "./flush.js";
import { createGatherer } from "./gather.js";
import { type Enclosure, type Item, isRemote, newItem } from "./item.js";
import { isUnavailability, retrying } from "./retrying.js";

export type IntakeLimits = Pick<
  Config,
  "intakeBufferMessages" | "intakeBufferBytes" | "intakeFlushMessages" | "intakeFlushBytes" | "intakeConcurrentFlushes"
>;

export interface Intake {
  accept(sender: Sender, envelopes: readonly Envelope[], enclosed?: Enclosed): Promise<Outcome[]>;
  stop(): Promise<void>;
}

interface IntakeNeeds {
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
  limits: IntakeLimits;
}

/** The envelopes of one call. */
interface Job {
  items: Item[];
  enclosed: Enclosed | undefined;
}

/**
 * Gathers the envelopes of many callers into flushes. A flush that fails for a reason that lies in one row is split
 * until that row stands alone: no message can make another one fail.
 */
export function createIntake(needs: IntakeNeeds): Intake {
  const { flush, limits, metrics } = needs;
  const gatherer = createGatherer<Job, Outcome[]>({
    name: "messages",
    bounds: {
      flushCount: limits.intakeFlushMessages,
      flushBytes: limits.intakeFlushBytes,
      waitingCount: limits.intakeBufferMessages,
      waitingBytes: limits.intakeBufferBytes,
      concurrent: limits.intakeConcurrentFlushes,
    },
    async flush(jobs) {
      const items = jobs.flatMap((job) => job.items);
      const here = items.filter((item) => !isRemote(item));
      await deliver(here, enclosuresOf(jobs));
      await deliver(items.filter(isRemote));
      countOutcomes(metrics, items);
      return jobs.map((job) => job.items.map(outcomeOf));
    },
  });

  const deliver = async (items: readonly Item[], enclosures: readonly Enclosure[] = []): Promise<void> => {
    if (items.length === 0) return;
    try {
      needs.arrived(await retrying(() => flush(items, enclosures)));
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
    needs.logger.error({ err: error }, "a message could not be stored");
    refuseAll(items, failed);
  };

  return {
    accept(sender, envelopes, enclosed) {
      if (envelopes.length === 0) return Promise.resolve([]);
      const acceptedAtMillis = needs.clock.nowMillis();
      const items = envelopes.map((envelope) =>
        newItem({
          ...{ sender, envelope, acceptedAtMillis },
          key: envelope.key ?? needs.keyOf(sender, envelope),
          earlierKey: needs.earlierKeyOf(sender, envelope),
        }),
      );
      const bytes = envelopes.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0);
      return gatherer.add({ items, enclosed }, { count: items.length, bytes });
    },
    stop: () => gatherer.stop(),
  };
}

/** In their order; one flush takes them all or none. */
function enclosuresOf(jobs: readonly Job[]): Enclosure[] {
  const found = jobs.flatMap(({ items, enclosed }) => (enclosed === undefined ? [] : [{ items, enclosed }]));
  return found.sort((a, b) => (a.enclosed.order < b.enclosed.order ? -1 : 1));
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
