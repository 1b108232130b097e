import { bucketOf } from "./buckets.js";
import type { CounterName, HistogramName } from "./names.js";
import type { BucketCount } from "./store.js";

/** What was counted and is to be written. A duration's sum goes under its own name, its buckets beside it. */
export interface Taken {
  sums: ReadonlyMap<string, number>;
  counts: readonly BucketCount[];
}

/** What this process has counted since the last writing. Names are a fixed set, so it does not grow. */
export interface Pending {
  count(name: CounterName, by: number): void;
  observe(name: HistogramName, milliseconds: number): void;
  take(): Taken;
  /** Takes back what could not be written. */
  giveBack(taken: Taken): void;
}

export function createPending(): Pending {
  let sums = new Map<string, number>();
  let buckets = new Map<string, Map<number, number>>();

  const add = (name: string, by: number): void => void sums.set(name, (sums.get(name) ?? 0) + by);
  const addTo = (name: string, bucket: number, count: number): void => {
    const counts = buckets.get(name) ?? new Map<number, number>();
    buckets.set(name, counts.set(bucket, (counts.get(bucket) ?? 0) + count));
  };

  return {
    count: add,
    observe(name, milliseconds) {
      add(name, milliseconds);
      addTo(name, bucketOf(milliseconds), 1);
    },
    take() {
      const counts = [...buckets].flatMap(([metric, of]) =>
        [...of].map(([bucket, count]) => ({ metric, bucket, count })),
      );
      const taken = { sums, counts };
      sums = new Map();
      buckets = new Map();
      return taken;
    },
    giveBack(taken) {
      for (const [name, value] of taken.sums) add(name, value);
      for (const { metric, bucket, count } of taken.counts) addTo(metric, bucket, count);
    },
  };
}
