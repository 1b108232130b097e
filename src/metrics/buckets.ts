// Durations are counted in buckets with the same fixed bounds on every node, so that counts can be added. Each bound is
// about 1.26 times the previous one (ten per decade), so a quantile read from them is off by at most an eighth.

const perDecade = 10;
const greatestMillis = 2_592_000_000;

/** The number of the bucket of a duration; bucket n ends at 10^(n/10) milliseconds. */
export function bucketOf(milliseconds: number): number {
  if (milliseconds <= 1) return 0;
  return Math.ceil(perDecade * Math.log10(Math.min(milliseconds, greatestMillis)));
}

/** The upper bound of a bucket, in milliseconds. */
export function boundOf(bucket: number): number {
  return 10 ** (bucket / perDecade);
}

/**
 * The quantile (0 to 1) of the counted durations, in milliseconds, interpolated as if the bucket were filled evenly.
 * Null if nothing was counted.
 */
export function quantile(counts: ReadonlyMap<number, number>, part: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = part * total;
  let below = 0;
  for (const [bucket, count] of [...counts].sort(([a], [b]) => a - b)) {
    if (below + count >= wanted) return within(bucket, count === 0 ? 0 : (wanted - below) / count);
    below += count;
  }
  return null;
}

function within(bucket: number, part: number): number {
  const from = bucket === 0 ? 0 : boundOf(bucket - 1);
  return from + part * (boundOf(bucket) - from);
}
