import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { Db } from "../platform/database/connection.js";
import { inTransaction } from "../platform/database/connection.js";
import type { Logger } from "../platform/logger.js";
import type { Nodes } from "../platform/nodes.js";
import { quantile } from "./buckets.js";
import type { CounterName, GaugeName, HistogramName, MetricName } from "./names.js";
import { createPending, type Taken } from "./pending.js";
import { daySeconds, fineKeptSeconds, fineSeconds, resolutions, spanStart } from "./resolutions.js";
import { addCounts, addValues, deleteBefore, readCounts, readSeries } from "./store.js";

export { scheduleMetricsJobs } from "./jobs.js";
export type { CounterName, GaugeName, HistogramName, MetricName } from "./names.js";

/** Counting costs no round trip: it happens in memory and is written every 10 seconds. */
export interface MetricsService {
  start(): Promise<void>;
  /** Writes what was counted since the last time. */
  stop(): Promise<void>;
  count(name: CounterName, by?: number): void;
  observe(name: HistogramName, milliseconds: number): void;
  /** Has a value of this node read at every writing. */
  gauge(name: GaugeName, read: () => number): void;
  /** Writes now what was counted; what is read afterwards contains it. */
  flush(): Promise<void>;
  /** The sum of a counter over all nodes from a time (Unix seconds, to the five minutes) until now. */
  sum(name: CounterName, since: number): Promise<number>;
  /** The sum of a counter over all nodes and all time. */
  total(name: CounterName): Promise<number>;
  /** Sums per interval (a multiple of 300 seconds) from `since` to `until`, every interval present. */
  series(name: MetricName, range: { since: number; until: number; interval: number }): Promise<DataPoint[]>;
  /** Average and quantiles of a duration since a time, in milliseconds; null where nothing was counted. */
  latency(name: HistogramName, since: number): Promise<Latency | null>;
  /** Forgets what is too old to be asked for. */
  removeOld(): Promise<void>;
}

export interface DataPoint {
  timestamp: number;
  value: number;
}

export interface Latency {
  average: number;
  p95: number;
  p99: number;
}

export interface MetricsNeeds {
  db: Knex;
  clock: Clock;
  nodes: Pick<Nodes, "nodeId">;
  logger: Logger;
}

const writeEveryMillis = 10_000;

export function createMetricsService(needs: MetricsNeeds): MetricsService {
  const { db, clock, logger } = needs;
  const pending = createPending();
  const gauges = new Map<GaugeName, () => number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const taken = pending.take();
    const values = new Map([...gauges].map(([name, read]) => [name as string, read()]));
    try {
      await inTransaction(db, (trx) => writeAll(trx, { taken, gauges: values, ...needs, now: clock.nowSeconds() }));
    } catch (error) {
      pending.giveBack(taken);
      throw error;
    }
  };
  const flush = (): Promise<void> => {
    writing = writing.then(write, write);
    return writing;
  };
  const flushQuietly = (): Promise<void> =>
    flush().catch((error: unknown) => logger.warn({ err: error }, "metrics were not written; they are kept"));
  const untilNow = (resolution: number, since: number) => ({
    resolution,
    since: spanStart(since, resolution),
    until: clock.nowSeconds() + 1,
  });

  return {
    async start() {
      timer = setInterval(() => void flushQuietly(), writeEveryMillis);
    },
    async stop() {
      clearInterval(timer);
      await flushQuietly();
    },
    count: (name, by = 1) => pending.count(name, by),
    observe: (name, milliseconds) => pending.observe(name, milliseconds),
    gauge: (name, read) => void gauges.set(name, read),
    flush,
    async sum(name, since) {
      return addUp(await readSeries(db, name, untilNow(fineSeconds, since)));
    },
    async total(name) {
      return addUp(await readSeries(db, name, untilNow(daySeconds, 0)));
    },
    async series(name, { since, until, interval }) {
      const first = spanStart(since, interval);
      const spans = await readSeries(db, name, { resolution: fineSeconds, since: first, until });
      const points = new Map<number, number>();
      for (let at = first; at < until; at += interval) points.set(at, 0);
      for (const [at, value] of spans) {
        const point = spanStart(at, interval);
        points.set(point, (points.get(point) ?? 0) + value);
      }
      return [...points].map(([timestamp, value]) => ({ timestamp, value }));
    },
    async latency(name, since) {
      const range = untilNow(fineSeconds, since);
      const counts = await readCounts(db, name, range);
      const [p95, p99] = [quantile(counts, 0.95), quantile(counts, 0.99)];
      if (p95 === null || p99 === null) return null;
      const milliseconds = addUp(await readSeries(db, name, range));
      return { average: milliseconds / addUp(counts), p95, p99 };
    },
    removeOld: () => deleteBefore(db, { resolution: fineSeconds, before: clock.nowSeconds() - fineKeptSeconds }),
  };
}

/** Writes what was taken into the spans of every resolution that the present falls into. */
async function writeAll(
  trx: Db,
  given: { taken: Taken; gauges: ReadonlyMap<string, number>; nodes: { nodeId: string }; now: number },
): Promise<void> {
  const { nodeId } = given.nodes;
  for (const resolution of resolutions) {
    const span = { resolution, bucketStart: spanStart(given.now, resolution), nodeId };
    if (given.taken.sums.size > 0) await addValues(trx, { ...span, values: given.taken.sums, replace: false });
    if (given.taken.counts.length > 0) await addCounts(trx, { ...span, counts: given.taken.counts });
    if (given.gauges.size > 0) await addValues(trx, { ...span, values: given.gauges, replace: true });
  }
}

function addUp(values: ReadonlyMap<unknown, number>): number {
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}
