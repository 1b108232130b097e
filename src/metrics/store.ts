import { type Db, rows } from "../platform/database/connection.js";

/** A span of time: its length and its first second. */
export interface Span {
  resolution: number;
  bucketStart: number;
}

/** Adds values to a node's sums of a span. `replace` puts them in the place of what was there. */
export async function addValues(
  db: Db,
  added: Span & { nodeId: string; values: ReadonlyMap<string, number>; replace: boolean },
): Promise<void> {
  const { resolution, bucketStart, nodeId, values, replace } = added;
  const bindings = {
    resolution,
    bucketStart,
    nodeId,
    replace,
    metrics: [...values.keys()],
    values: [...values.values()],
  };
  await rows(
    db,
    `insert into metric_rollups (metric, resolution, bucket_start, node_id, value)
     select d.metric, :resolution::integer, :bucketStart::bigint, :nodeId::text, d.value
     from unnest(:metrics::text[], :values::double precision[]) as d (metric, value)
     on conflict (metric, resolution, bucket_start, node_id) do update
     set value = case when :replace::boolean then 0 else metric_rollups.value end + excluded.value`,
    bindings,
  );
}

/** One bucket of a histogram with what was counted in it. */
export interface BucketCount {
  metric: string;
  bucket: number;
  count: number;
}

/** Adds counts to a node's histograms of a span. */
export async function addCounts(
  db: Db,
  added: Span & { nodeId: string; counts: readonly BucketCount[] },
): Promise<void> {
  const { resolution, bucketStart, nodeId, counts } = added;
  await rows(
    db,
    `insert into metric_histograms (metric, resolution, bucket_start, node_id, bucket, count)
     select d.metric, :resolution::integer, :bucketStart::bigint, :nodeId::text, d.bucket, d.count
     from unnest(:metrics::text[], :buckets::integer[], :counts::bigint[]) as d (metric, bucket, count)
     on conflict (metric, resolution, bucket_start, node_id, bucket) do update
     set count = metric_histograms.count + excluded.count`,
    {
      resolution,
      bucketStart,
      nodeId,
      metrics: counts.map(({ metric }) => metric),
      buckets: counts.map(({ bucket }) => bucket),
      counts: counts.map(({ count }) => count),
    },
  );
}

/** Spans of one resolution that begin in [since, until). */
export interface Range {
  resolution: number;
  since: number;
  until: number;
}

/** Sums of all nodes per span, by the span's first second. */
export async function readSeries(db: Db, metric: string, range: Range): Promise<Map<number, number>> {
  const found = await rows<{ bucket_start: number; value: number }>(
    db,
    `select bucket_start, sum(value) as value
     from metric_rollups
     where metric = :metric::text and resolution = :resolution::integer
       and bucket_start >= :since::bigint and bucket_start < :until::bigint
     group by bucket_start`,
    { metric, ...range },
  );
  return new Map(found.map((row) => [row.bucket_start, row.value]));
}

/** What all nodes counted, per bucket. */
export async function readCounts(db: Db, metric: string, range: Range): Promise<Map<number, number>> {
  const found = await rows<{ bucket: number; count: number }>(
    db,
    `select bucket, sum(count) as count
     from metric_histograms
     where metric = :metric::text and resolution = :resolution::integer
       and bucket_start >= :since::bigint and bucket_start < :until::bigint
     group by bucket`,
    { metric, ...range },
  );
  return new Map(found.map((row) => [row.bucket, row.count]));
}

/** Forgets spans of a resolution that began before a time. */
export async function deleteBefore(
  db: Db,
  { resolution, before }: { resolution: number; before: number },
): Promise<void> {
  for (const table of ["metric_rollups", "metric_histograms"]) {
    await rows(db, `delete from ${table} where resolution = :resolution::integer and bucket_start < :before::bigint`, {
      resolution,
      before,
    });
  }
}
