import type { Knex } from "knex";

/**
 * What the nodes counted, summed up per span of time. A latency is counted in the bucket that its length falls into, so
 * that the counts of several nodes and spans can be added.
 */
export const metricsMigration = {
  name: "0006-metrics",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table metric_rollups (
        metric text not null,
        resolution integer not null,
        bucket_start bigint not null,
        node_id text not null,
        value double precision not null,
        primary key (metric, resolution, bucket_start, node_id)
      ) with (fillfactor = 70);
      create index metric_rollups_age on metric_rollups (resolution, bucket_start);

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
    `);
  },
};
