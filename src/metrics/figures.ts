import type { Reader } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Nodes } from "../node/nodes.js";
import { daySeconds } from "../protocol/units.js";
import { quantile } from "./buckets.js";
import { type CounterName, type HistogramName, isAveraged, isCounter, type SeriesName } from "./names.js";
import { cover, fineSeconds, spanStart } from "./resolutions.js";
import { type NodeReading, readCounts, readLevels, readReadings, readSeries, readSums } from "./store.js";

export interface DataPoint {
  timestamp: number;
  value: number;
}

export interface Latency {
  average: number;
  p95: number;
  p99: number;
}

/** A duration over all time: counts per bucket, and the sum in milliseconds. */
export interface DurationTotal {
  counts: ReadonlyMap<number, number>;
  milliseconds: number;
}

/** What all nodes have written. Times are Unix seconds, accurate to five minutes. */
export interface Figures {
  /** The sums of counters from a time until now. */
  sums<N extends CounterName>(names: readonly N[], since: number): Promise<Record<N, number>>;
  sum(name: CounterName, since: number): Promise<number>;
  /** The sums of counters over all time. */
  totals<N extends CounterName>(names: readonly N[]): Promise<Record<N, number>>;
  total(name: CounterName): Promise<number>;
  /**
   * A metric per interval (a multiple of 300 seconds) from `since` until before `until`. For a counter, each value is
   * the interval's sum; for a level, the average of its readings. The first interval begins at `since`.
   */
  series(name: SeriesName, range: { since: number; until: number; interval: number }): Promise<DataPoint[]>;
  /** Average and quantiles of a duration since a time, in milliseconds; null if nothing was counted. */
  latency(name: HistogramName, since: number): Promise<Latency | null>;
  durationTotal(name: HistogramName): Promise<DurationTotal>;
  /** The last readings of the nodes that are running, the longest running first. */
  readings(): Promise<NodeReading[]>;
}

export function createFigures(deps: { db: Reader; clock: Clock; nodes: Pick<Nodes, "isAlive"> }): Figures {
  const { db, clock, nodes } = deps;
  const untilNow = (since: number) => cover({ since, until: clock.nowSeconds() + 1 });
  const allTime = () => [{ resolution: daySeconds, since: 0, until: clock.nowSeconds() + 1 }];
  const named = <N extends CounterName>(names: readonly N[], found: ReadonlyMap<string, number>) =>
    Object.fromEntries(names.map((name) => [name, found.get(name) ?? 0])) as Record<N, number>;

  const sums: Figures["sums"] = async (names, since) => named(names, await readSums(db, names, untilNow(since)));
  const totals: Figures["totals"] = async (names) => named(names, await readSums(db, names, allTime()));
  const durationOver = async (name: HistogramName, ranges: ReturnType<typeof cover>): Promise<DurationTotal> => {
    const [counts, milliseconds] = await Promise.all([readCounts(db, name, ranges), readSums(db, [name], ranges)]);
    return { counts, milliseconds: milliseconds.get(name) ?? 0 };
  };

  return {
    sums,
    sum: async (name, since) => (await sums([name], since))[name],
    totals,
    total: async (name) => (await totals([name]))[name],
    series: (name, range) => (isCounter(name) ? counterSeries(db, name, range) : levelSeries(db, name, range)),
    async latency(name, since) {
      const { counts, milliseconds } = await durationOver(name, untilNow(since));
      const [p95, p99] = [quantile(counts, 0.95), quantile(counts, 0.99)];
      if (p95 === null || p99 === null) return null;
      return { average: milliseconds / [...counts.values()].reduce((sum, count) => sum + count, 0), p95, p99 };
    },
    durationTotal: (name) => durationOver(name, allTime()),
    async readings() {
      return (await readReadings(db)).filter(({ nodeId }) => nodes.isAlive(nodeId));
    },
  };
}

type SeriesRange = Parameters<Figures["series"]>[1];

async function counterSeries(db: Reader, name: CounterName, range: SeriesRange): Promise<DataPoint[]> {
  const { interval, until } = range;
  const found = await readSeries(db, name, { ranges: cover(range, interval), interval });
  const points: DataPoint[] = [];
  for (let at = spanStart(range.since, interval); at < until; at += interval) {
    points.push({ timestamp: at, value: found.get(at) ?? 0 });
  }
  return points;
}

async function levelSeries(db: Reader, name: SeriesName, range: SeriesRange): Promise<DataPoint[]> {
  const { interval, until } = range;
  const since = spanStart(range.since, fineSeconds);
  const averaged = isAveraged(name);
  const found = await readLevels(db, name, { resolution: fineSeconds, since, until, interval, averaged });
  return [...found].map(([timestamp, value]) => ({ timestamp, value }));
}
