import type { Knex } from "knex";

/**
 * What nodes last read of themselves; the last count of what the server keeps; alerts. Of one condition on one subject
 * one alert at most is active.
 */
export const monitoringMigration = {
  name: "0033-monitoring",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create unlogged table node_readings (
        node_id text primary key,
        started_at bigint not null,
        read_at bigint not null,
        version text not null,
        figures jsonb not null
      ) with (fillfactor = 50);

      create table census (
        one boolean primary key default true check (one),
        taken_at bigint not null,
        millis double precision not null,
        levels jsonb not null
      ) with (fillfactor = 50);

      create table alerts (
        id text primary key,
        condition text not null,
        subject text not null,
        severity text not null check (severity in ('critical', 'warning', 'info')),
        component text not null,
        message text not null,
        started_at bigint not null,
        details jsonb not null,
        cleared_at bigint
      );
      create unique index alerts_active on alerts (condition, subject) where cleared_at is null;
      create index alerts_cleared_at on alerts (cleared_at);
    `);
  },
};
