import type { Db, Reader } from "../database/db.js";
import type { LevelName } from "./names.js";
import type { Range } from "./resolutions.js";

/** A span of time: its length and its first second. */
interface Span {
  resolution: number;
  bucketStart: number;
}

/** Adds values to a node's sums of a span. `replace` overwrites them instead. */
export async function addValues(
  db: Db,
  added: Span & { nodeId: string; values: ReadonlyMap<string, number>; replace: boolean },
): Promise<void> {
  const { values, ...span } = added;
  await db.run(
    `insert into metric_rollups (metric, resolution, bucket_start, node_id, value)
     select d.metric, :resolution::integer, :bucketStart::bigint, :nodeId::text, d.value
     from unnest(:metrics::text[], :values::double precision[]) as d (metric, value)
     on conflict (metric, resolution, bucket_start, node_id) do update
     set value = case when :replace::boolean then 0 else metric_rollups.value end + excluded.value`,
    { ...span, metrics: [...values.keys()], values: [...values.values()] },
  );
}

/** One bucket of a histogram with its count. */
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
  const { counts, ...span } = added;
  await db.run(
    `insert into metric_histograms (metric, resolution, bucket_start, node_id, bucket, count)
     select d.metric, :resolution::integer, :bucketStart::bigint, :nodeId::text, d.bucket, d.count
     from unnest(:metrics::text[], :buckets::integer[], :counts::bigint[]) as d (metric, bucket, count)
     on conflict (metric, resolution, bucket_start, node_id, bucket) do update
     set count = metric_histograms.count + excluded.count`,
    {
      ...span,
      metrics: counts.map(({ metric }) => metric),
      buckets: counts.map(({ bucket }) => bucket),
      counts: counts.map(({ count }) => count),
    },
  );
}

// Queries go from range to range and read each by the primary key, whatever the planner thinks of the tables.
const rangeColumns =
  "unnest(:resolutions::integer[], :sinces::bigint[], :untils::bigint[]) as r (resolution, since, until)";

function bindingsOf(ranges: readonly Range[]) {
  return {
    resolutions: ranges.map(({ resolution }) => resolution),
    sinces: ranges.map(({ since }) => since),
    untils: ranges.map(({ until }) => until),
  };
}

/** Sums of all nodes over some ranges, by metric; none if nothing was counted. */
export async function readSums(db: Reader, metrics: readonly string[], ranges: readonly Range[]) {
  const found = await db.rows<{ metric: string; value: number }>(
    `select s.metric, sum(s.value) as value
     from ${rangeColumns}
     cross join lateral (
       select m.metric, sum(m.value) as value
       from metric_rollups as m
       where m.metric = any(:metrics::text[]) and m.resolution = r.resolution
         and m.bucket_start >= r.since and m.bucket_start < r.until
       group by m.metric
     ) as s
     group by s.metric`,
    { metrics, ...bindingsOf(ranges) },
  );
  return new Map(found.map((row) => [row.metric, row.value]));
}

/** Sums of all nodes per interval, by the interval's first second. */
export async function readSeries(db: Reader, metric: string, over: { ranges: readonly Range[]; interval: number }) {
  const found = await db.rows<{ at: number; value: number }>(
    `select s.bucket_start / :interval::bigint * :interval::bigint as at, sum(s.value) as value
     from ${rangeColumns}
     cross join lateral (
       select m.bucket_start, m.value
       from metric_rollups as m
       where m.metric = :metric::text and m.resolution = r.resolution
         and m.bucket_start >= r.since and m.bucket_start < r.until
       offset 0
     ) as s
     group by at`,
    { metric, interval: over.interval, ...bindingsOf(over.ranges) },
  );
  return new Map(found.map((row) => [row.at, row.value]));
}

/** A level per interval: the average of the interval's spans, each the sum (or average) of the nodes. */
export async function readLevels(db: Reader, metric: string, over: Range & { interval: number; averaged: boolean }) {
  const found = await db.rows<{ at: number; value: number }>(
    `select s.bucket_start / :interval::bigint * :interval::bigint as at, avg(s.value) as value
     from (
       select bucket_start, case when :averaged::boolean then avg(value) else sum(value) end as value
       from metric_rollups
       where metric = :metric::text and resolution = :resolution::integer
         and bucket_start >= :since::bigint and bucket_start < :until::bigint
       group by bucket_start
     ) as s
     group by at
     order by at`,
    { metric, ...over },
  );
  return new Map(found.map((row) => [row.at, row.value]));
}

/** What all nodes counted for a duration over some ranges, per bucket. */
export async function readCounts(db: Reader, metric: string, ranges: readonly Range[]) {
  const found = await db.rows<{ bucket: number; count: number }>(
    `select s.bucket, sum(s.count) as count
     from ${rangeColumns}
     cross join lateral (
       select m.bucket, sum(m.count) as count
       from metric_histograms as m
       where m.metric = :metric::text and m.resolution = r.resolution
         and m.bucket_start >= r.since and m.bucket_start < r.until
       group by m.bucket
     ) as s
     group by s.bucket`,
    { metric, ...bindingsOf(ranges) },
  );
  return new Map(found.map((row) => [row.bucket, row.count]));
}

/** Deletes spans of a resolution that began before a time. */
export async function deleteBefore(
  db: Db,
  { resolution, before }: { resolution: number; before: number },
): Promise<void> {
  for (const table of ["metric_rollups", "metric_histograms"]) {
    await db.run(`delete from ${table} where resolution = :resolution::integer and bucket_start < :before::bigint`, {
      resolution,
      before,
    });
  }
}

/** The counts of a given time (Unix seconds), and how long counting took. */
export interface SnapshotTaken {
  takenAt: number;
  millis: number;
  levels: Readonly<Record<LevelName, number>>;
}

/** What a node of 0.1.0 has not counted. */
const levelsAdded = { slot_bytes: 0, blobs: 0, blob_bytes: 0 };

export async function readSnapshot(db: Db): Promise<SnapshotTaken | undefined> {
  const row = await db.one<SnapshotTaken>(`select taken_at as "takenAt", millis, levels from metrics_snapshot`);
  return row && { ...row, levels: { ...levelsAdded, ...row.levels } };
}

/** Stores a snapshot unless a later one is already stored, which is not one of a clock that was ahead. */
export async function putSnapshot(db: Db, snapshot: SnapshotTaken): Promise<void> {
  await db.run(
    `insert into metrics_snapshot (taken_at, millis, levels)
     values (:takenAt::bigint, :millis::double precision, :levels::jsonb)
     on conflict (one) do update
     set taken_at = excluded.taken_at, millis = excluded.millis, levels = excluded.levels
     where metrics_snapshot.taken_at not between excluded.taken_at + 1 and excluded.taken_at + 60`,
    { ...snapshot, levels: JSON.stringify(snapshot.levels) },
  );
}

/** A node's last readings of itself. */
export interface NodeReading {
  nodeId: string;
  /** Unix seconds. */
  startedAt: number;
  readAt: number;
  version: string;
  /** Values by the names of gauges and signs. */
  figures: Readonly<Record<string, number>>;
}

/** Replaces a node's reading. */
export async function putReading(db: Db, reading: NodeReading): Promise<void> {
  await db.run(
    `insert into node_readings (node_id, started_at, read_at, version, figures)
     values (:nodeId, :startedAt::bigint, :readAt::bigint, :version, :figures::jsonb)
     on conflict (node_id) do update
     set read_at = excluded.read_at, version = excluded.version, figures = excluded.figures`,
    { ...reading, figures: JSON.stringify(reading.figures) },
  );
}

/** The last reading of every node, including nodes that are gone. */
export async function readReadings(db: Reader): Promise<NodeReading[]> {
  return db.rows<NodeReading>(
    `select node_id as "nodeId", started_at as "startedAt", read_at as "readAt", version, figures
     from node_readings
     order by started_at, node_id`,
  );
}

export async function deleteReading(db: Db, nodeId: string): Promise<void> {
  await db.run("delete from node_readings where node_id = :nodeId", { nodeId });
}

/** Deletes readings older than a time. */
export async function deleteReadingsBefore(db: Db, before: number): Promise<void> {
  await db.run("delete from node_readings where read_at < :before::bigint", { before });
}
