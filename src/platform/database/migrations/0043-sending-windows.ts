import type { Knex } from "knex";

/**
 * What tells senders stands apart from what is stored with their messages, in tables that are in no log and no base backup.
 * `sending_windows` counts what each device sends; `recent_federation_sends` what it sends to other servers. A job adds
 * what they count to `sent_totals` and `device_federation`, for all devices together.
 *
 * Windows that run are taken over; in the mailboxes they are emptied, which also writes these rows again: until then
 * the last message of a sender and its mailbox's row name one transaction. The columns stay for nodes of the version
 * before, which may still run. The lock comes first, so that this waits for their flushes in one direction only.
 */
export const sendingWindowsMigration = {
  name: "0043-sending-windows",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create unlogged table sending_windows (
        device_id text collate "C" primary key,
        started_at bigint not null default 0,
        count bigint not null default 0,
        window_limit integer not null default 0,
        carry integer not null default 0,
        granted bigint not null default 0,
        misses_started_at bigint not null default 0,
        misses_count bigint not null default 0,
        misses_granted bigint not null default 0,
        sent bigint not null default 0
      ) with (
        fillfactor = 50,
        autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0
      );

      create unlogged table recent_federation_sends (
        device_id text collate "C" not null,
        domain text not null,
        sent bigint not null,
        last_day integer not null,
        primary key (device_id, domain)
      ) with (fillfactor = 80);

      create table sent_totals (
        device_id text collate "C" primary key,
        sent bigint not null
      ) with (fillfactor = 80);

      lock table mailboxes in exclusive mode;
      insert into sending_windows (
        device_id, started_at, count, window_limit, carry, misses_started_at, misses_count)
      select device_id, window_started_at, window_count, window_limit, window_carry, misses_started_at, misses_count
      from mailboxes
      where window_started_at > 0 or misses_started_at > 0;
      update mailboxes
      set window_started_at = 0, window_count = 0, window_limit = 0, window_carry = 0,
          misses_started_at = 0, misses_count = 0
      where window_started_at > 0 or misses_started_at > 0;
    `);
  },
};
