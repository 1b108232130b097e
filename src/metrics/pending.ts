import { bucketOf } from "./buckets.js";
import type { CounterName, HistogramName } from "./names.js";
import type { BucketCount } from "./store.js";

/**
 * What was counted in one span and is still to be written. A duration's sum is stored under its name, its buckets
 * separately.
 */
export interface Taken {
  /** A time within the span, in Unix seconds. */
  at: number;
  sums: ReadonlyMap<string, number>;
  counts: readonly BucketCount[];
}

/**
 * What this process has counted since the last write. Names are a fixed set, so it grows only with the number of spans.
 * `span` returns the first second of the current span. A count belongs to that span, whenever it is written.
 */
export function createPending(span: () => number) {
  let spans = new Map<number, Deltas>();

  const deltasAt = (at: number): Deltas => {
    const known = spans.get(at);
    if (known !== undefined) return known;
    const deltas = createDeltas();
    spans.set(at, deltas);
    return deltas;
  };

  return {
    count: (name: CounterName, by: number): void => deltasAt(span()).add(name, by),
    observe(name: HistogramName, milliseconds: number): void {
      const deltas = deltasAt(span());
      deltas.add(name, milliseconds);
      deltas.addTo(name, bucketOf(milliseconds), 1);
    },
    take(): Taken[] {
      const taken = [...spans].map(([at, deltas]) => ({ at, ...deltas.read() }));
      spans = new Map();
      return taken;
    },
    /** Puts back what could not be written. */
    giveBack(taken: readonly Taken[]): void {
      for (const { at, sums, counts } of taken) {
        const deltas = deltasAt(at);
        for (const [name, value] of sums) deltas.add(name, value);
        for (const { metric, bucket, count } of counts) deltas.addTo(metric, bucket, count);
      }
    },
  };
}

type Deltas = ReturnType<typeof createDeltas>;

function createDeltas() {
  const sums = new Map<string, number>();
  const buckets = new Map<string, Map<number, number>>();
  return {
    add: (name: string, by: number): void => void sums.set(name, (sums.get(name) ?? 0) + by),
    addTo(name: string, bucket: number, count: number): void {
      const counts = buckets.get(name) ?? new Map<number, number>();
      buckets.set(name, counts.set(bucket, (counts.get(bucket) ?? 0) + count));
    },
    read: (): Omit<Taken, "at"> => ({
      sums,
      counts: [...buckets].flatMap(([metric, of]) => [...of].map(([bucket, count]) => ({ metric, bucket, count }))),
    }),
  };
}
