import type { Knex } from "knex";

/**
 * The keys of messages in partitions by day, which the relay creates ahead and drops (spec/decisions/0125). Keys of days
 * without a partition lie in `message_keys_other`. `message_key_days` says until when the keys of a day are kept.
 *
 * `deduplication` stays for what the partitions cannot hold. Nodes of the version before, which may run beside this one,
 * know only its keys of 32 bytes, so the migration records, as 0045 did, until which days these matter: stored up to the
 * first, looked up to the second. A database without devices has none.
 *
 * Keys of partitions that `mls-relay distribute` moved to `deduplication` are looked for there up to `moved_kept_until`.
 */
export const messageKeysMigration = {
  name: "0073-message-keys",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table message_keys (key uuid primary key) partition by range (key);
      create table message_keys_other partition of message_keys default;
      create table message_key_days (
        day integer primary key,
        kept_until integer not null
      );

      alter table earlier_hashes
        add column long_written_until integer not null default 0,
        add column long_kept_until integer not null default 0,
        add column moved_kept_until integer not null default 0;

      insert into earlier_hashes (written_until, kept_until, long_written_until, long_kept_until)
      select 0, 0, t.today + 1,
             greatest(
               t.today + 2 + coalesce(
                 (select (value #>> '{}')::integer from settings where key = 'server.max_retention_days'), 30),
               (select max(expires_on) from deduplication)
             )
      from (select floor(extract(epoch from now()) / 86400)::integer as today) as t
      where exists (select from devices)
      on conflict (one) do update
      set long_written_until = excluded.long_written_until, long_kept_until = excluded.long_kept_until;
    `);
  },
};
