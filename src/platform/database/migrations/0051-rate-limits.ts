import type { Knex } from "knex";

/**
 * One table for all windows but those of senders, under keyed hashes: it names neither devices nor network addresses. It is
 * in no log and no base backup.
 *
 * The windows that it replaces begin again. Their rows are deleted, because nobody cleans them up any more; the tables and
 * columns stay for nodes of the version before, which may still run.
 */
export const rateLimitsMigration = {
  name: "0051-rate-limits",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create unlogged table rate_limits (
        key bytea primary key,
        count bigint not null,
        expires_at bigint not null
      ) with (
        fillfactor = 70,
        autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0
      );
      create index rate_limits_expires_at on rate_limits (expires_at);

      delete from ip_windows;
      delete from key_package_windows;
      delete from info_package_uploads;
      delete from admin_allowances;
      delete from federation_windows;
    `);
  },
};
