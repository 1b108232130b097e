/** What the nodes counted and read, and the last count of what the server holds. */
export const metricsTables = `
  -- Sums for each span of time: it begins at bucket_start and lasts for the resolution, in seconds.
  create table metric_rollups (
    metric text not null,
    resolution integer not null,
    bucket_start bigint not null,
    node_id text not null,
    value double precision not null,
    primary key (metric, resolution, bucket_start, node_id)
  ) with (fillfactor = 70);
  create index metric_rollups_age on metric_rollups (resolution, bucket_start);

  -- A latency is counted in the bucket that its length falls into, so that the counts of several nodes and spans can be
  -- added.
  create table metric_histograms (
    metric text not null,
    resolution integer not null,
    bucket_start bigint not null,
    node_id text not null,
    bucket integer not null,
    count bigint not null,
    primary key (metric, resolution, bucket_start, node_id, bucket)
  ) with (fillfactor = 70);
  create index metric_histograms_age on metric_histograms (resolution, bucket_start);

  create table metrics_snapshot (
    one boolean primary key default true check (one),
    taken_at bigint not null,
    -- How long the count took.
    millis double precision not null,
    levels jsonb not null
  ) with (fillfactor = 50);

  -- What each node last read of itself.
  create unlogged table node_readings (
    node_id text primary key,
    started_at bigint not null,
    read_at bigint not null,
    version text not null,
    figures jsonb not null
  ) with (fillfactor = 50);
`;
