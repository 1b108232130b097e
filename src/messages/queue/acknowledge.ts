import type { Pipeline } from "../../database/db.js";
import type { Pipelines } from "../../database/pipeline/pipelines.js";
import type { Placement } from "../../database/placement.js";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../node/clock.js";
import { createBatcher } from "../../platform/concurrency/batcher.js";
import { passStep } from "../../process/message-steps.js";
import { RelayError } from "../../protocol/errors.js";
import { parseMessageId } from "../../protocol/identifiers.js";
import { isUnavailability, retrying } from "../model/retry.js";
import type { Acknowledgement } from "../model/types.js";
import { type MessageToRemove, removeInOwnTransaction } from "./remove.js";
import { findPositions, type QueuePosition } from "./store.js";

/** Acknowledgements that may wait for a flush per node. */
const ackBufferItems = 50_000;
/** Acknowledgements per flush. */
const ackFlushItems = 2000;
/** Minimum time between the starts of two flushes of acknowledgements. */
const ackPaceMillis = 25;

/** For each acknowledgement, the position of the message that it removed, if any. */
type Removed = (number | undefined)[];

/** The error of a device whose queue cannot be reached at the moment. */
type Answer = Removed | RelayError;

interface Job {
  deviceId: string;
  items: readonly Acknowledgement[];
}

/**
 * An acknowledgement may take a moment longer, because each flush takes processor time that pushes need. This many
 * flush at once.
 */
const paceFullCount = 1_000;

/**
 * Batches acknowledgements as ingest batches messages. An acknowledgement by id removes the oldest delivered message
 * with that id, or the oldest message if none was delivered. Everything up to the delivery cursor was delivered;
 * everything after it is younger. Only if a page skipped messages can the younger of two be the delivered one; it is
 * then marked.
 */
export function createAcknowledger(deps: {
  pipelines: Pick<Pipelines, "use">;
  clock: Clock;
  metrics: Pick<MetricsService, "count">;
  placement: Pick<Placement, "isDown" | "check">;
}) {
  const { pipelines, clock, metrics, placement } = deps;

  const flush = async (jobs: readonly Job[]): Promise<Removed[]> => {
    passAll("ack_flushing", jobs);
    const { chosen, removed } = await pipelines.use(async (pipeline) => {
      passAll("ack_connected", jobs);
      const chosen = await choosePositions(pipeline, jobs, clock.nowSeconds());
      const messages = chosen.flat().filter((message) => message !== undefined);
      const deleted = (): void => passAll("ack_deleted", jobs);
      const removed = messages.length === 0 ? [] : await removeInOwnTransaction(pipeline, messages, deleted);
      return { chosen, removed };
    });
    passAll("ack_committed", jobs);
    if (removed.length > 0) metrics.count("messages_acknowledged", removed.length);
    const left = new Set(removed.map(positionKey));
    // If two acknowledgements chose the same message, the first has removed it.
    return chosen.map((messages) =>
      messages.map((message) => (message && left.delete(positionKey(message)) ? message.position : undefined)),
    );
  };
  const isReachable = ({ deviceId }: Job): boolean => !placement.isDown("device", deviceId);
  /** If part of the database does not answer, only the acknowledgements that need it fail. */
  const flushReachable = async (jobs: readonly Job[]): Promise<Answer[]> => {
    const reachable = jobs.filter(isReachable);
    const removed = await retrying(() => flush(reachable)).catch(async (error: unknown) => {
      if (!isUnavailability(error)) throw error;
      await placement.check();
      if (reachable.every(isReachable)) throw error;
      return undefined;
    });
    if (removed === undefined) return flushReachable(jobs);
    const byJob = new Map(reachable.map((job, i) => [job, removed[i]]));
    return jobs.map((job) => byJob.get(job) ?? unreachable());
  };
  const batcher = createBatcher<Job, Answer>({
    name: "acknowledgements",
    bounds: {
      flushCount: ackFlushItems,
      flushBytes: Number.POSITIVE_INFINITY,
      waitingCount: ackBufferItems,
      waitingBytes: Number.POSITIVE_INFINITY,
      concurrent: 1,
      pace: { millis: ackPaceMillis, fullCount: paceFullCount },
      takesAll: true,
    },
    flush: flushReachable,
  });

  return {
    async acknowledge(deviceId: string, items: readonly Acknowledgement[]): Promise<Removed> {
      if (items.length === 0) return [];
      const answer = await batcher.add({ deviceId, items }, { count: items.length, bytes: 0 });
      if (answer instanceof RelayError) throw answer;
      return answer;
    },
    stop: (): Promise<void> => batcher.stop(),
  };
}

function passAll(step: "ack_flushing" | "ack_connected" | "ack_deleted" | "ack_committed", jobs: readonly Job[]): void {
  for (const { items } of jobs) passStep(step, items, ({ messageId }) => messageId);
}

function unreachable(): RelayError {
  return new RelayError("DATABASE_UNAVAILABLE", "a part of the database does not answer");
}

/** The message for each acknowledgement: the n-th acknowledgement of an id gets the n-th message with that id. */
async function choosePositions(
  db: Pipeline,
  jobs: readonly Job[],
  now: number,
): Promise<(MessageToRemove | undefined)[][]> {
  const wanted = new Map<string, { deviceId: string; messageId: string }>();
  for (const { deviceId, items } of jobs) {
    for (const { messageId, position } of items) {
      // Text that is not a message id, which the database would refuse, finds nothing.
      if (position === undefined && parseMessageId(messageId) !== undefined)
        wanted.set(`${deviceId} ${messageId}`, { deviceId, messageId });
    }
  }
  const found = wanted.size === 0 ? [] : await findPositions(db, { wanted: [...wanted.values()], now });
  const candidates = new Map<string, MessageToRemove[]>();
  for (const { deviceId, messageId, position } of found) {
    const name = `${deviceId} ${messageId}`;
    const sameId = candidates.get(name) ?? [];
    sameId.push({ deviceId, position, messageId });
    candidates.set(name, sameId);
  }
  return jobs.map(({ deviceId, items }) =>
    items.map(({ messageId, position }) => {
      if (position !== undefined) return { deviceId, position, messageId, pushed: true };
      return candidates.get(`${deviceId} ${messageId}`)?.shift();
    }),
  );
}

function positionKey({ deviceId, position }: QueuePosition): string {
  return `${deviceId} ${position}`;
}
