import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import { createBatcher } from "../../platform/concurrency/batcher.js";
import type { Config } from "../../platform/config/config.js";
import type { Pipeline } from "../../platform/database/connection.js";
import type { Pipelines } from "../../platform/database/pipelines.js";
import { retrying } from "../ingest/retry.js";
import type { Acknowledgement } from "../types.js";
import { type RemovedMessage, removeAtOnce } from "./remove.js";
import { findPlaces } from "./store.js";

export type AcknowledgeConfig = Pick<Config, "ackBufferItems" | "ackFlushItems">;

export interface Acknowledger {
  acknowledge(deviceId: string, items: readonly Acknowledgement[]): Promise<Removed>;
  stop(): Promise<void>;
}

/** For each acknowledgement the position of the row that was removed for it. */
type Removed = (number | undefined)[];

interface Job {
  deviceId: string;
  items: readonly Acknowledgement[];
}

/** Nobody waits for the end of an acknowledgement, while pushes wait for the processor that each flush takes. */
const paceMillis = 25;

/**
 * Gathers acknowledgements like the intake gathers messages. One by id removes the oldest message with that id that was
 * handed out, or else the oldest. What lies before the cursor was handed out; what lies behind it is younger. Only where a
 * page skipped rows can the younger one of two be the one that was handed out: it is marked then.
 */
export function createAcknowledger(deps: {
  pipelines: Pick<Pipelines, "use">;
  clock: Clock;
  metrics: Pick<MetricsService, "count">;
  config: AcknowledgeConfig;
}): Acknowledger {
  const { pipelines, clock, metrics, config } = deps;

  const flush = async (jobs: readonly Job[]): Promise<Removed[]> => {
    const { places, removed } = await pipelines.use(async (pipeline) => {
      const places = await choosePlaces(pipeline, jobs, clock.nowSeconds());
      const chosen = places.flat().filter((place) => place !== undefined);
      return { places, removed: chosen.length === 0 ? [] : await removeAtOnce(pipeline, chosen) };
    });
    if (removed.length > 0) metrics.count("messages_acknowledged", removed.length);
    const left = new Set(removed.map(placeText));
    // A place that two acknowledgements chose is given to the first: delete answers whether the row was still there.
    return places.map((of) => of.map((place) => (place && left.delete(placeText(place)) ? place.position : undefined)));
  };
  const batcher = createBatcher<Job, Removed>({
    name: "acknowledgements",
    bounds: {
      flushCount: config.ackFlushItems,
      flushBytes: Number.POSITIVE_INFINITY,
      waitingCount: config.ackBufferItems,
      waitingBytes: Number.POSITIVE_INFINITY,
      concurrent: 1,
      paceMillis,
    },
    flush: (jobs) => retrying(() => flush(jobs)),
  });

  return {
    async acknowledge(deviceId, items) {
      return items.length === 0 ? [] : batcher.add({ deviceId, items }, { count: items.length, bytes: 0 });
    },
    stop: () => batcher.stop(),
  };
}

/** The row for each acknowledgement: the n-th of an id gets the n-th row with that id. */
async function choosePlaces(
  db: Pipeline,
  jobs: readonly Job[],
  now: number,
): Promise<(RemovedMessage | undefined)[][]> {
  const wanted = new Map<string, { deviceId: string; messageId: string }>();
  for (const { deviceId, items } of jobs) {
    for (const { messageId, position } of items) {
      if (position === undefined) wanted.set(`${deviceId} ${messageId}`, { deviceId, messageId });
    }
  }
  const found = wanted.size === 0 ? [] : await findPlaces(db, { wanted: [...wanted.values()], now });
  const queues = new Map<string, RemovedMessage[]>();
  for (const { deviceId, messageId, position } of found) {
    const name = `${deviceId} ${messageId}`;
    const places = queues.get(name) ?? [];
    places.push({ deviceId, position });
    queues.set(name, places);
  }
  return jobs.map(({ deviceId, items }) =>
    items.map(({ messageId, position }) =>
      position === undefined ? queues.get(`${deviceId} ${messageId}`)?.shift() : { deviceId, position, pushed: true },
    ),
  );
}

function placeText({ deviceId, position }: { deviceId: string; position: number }): string {
  return `${deviceId} ${position}`;
}
