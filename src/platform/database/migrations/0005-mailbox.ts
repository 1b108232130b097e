import type { Knex } from "knex";

/**
 * Queues, sending windows and deduplication. Queues are distributed by device_id, deduplication by its key, so no
 * foreign key joins them and every primary key begins with the distribution column.
 *
 * A mailbox row changes with every message: half of each page is left free, so that a new version fits beside the old
 * one and no index is touched. Queue rows are written once and deleted once: vacuum comes early and unthrottled, since
 * dead rows, not live ones, are what slows a queue down. Ids are compared byte by byte, whatever the database's locale.
 * The index for acknowledgements begins with the message's id because that grows with time: inserts and deletes then
 * touch neighbouring pages instead of random ones.
 */
export const mailboxMigration = {
  name: "0005-mailbox",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table mailboxes (
        device_id text collate "C" primary key,
        window_started_at bigint not null default 0,
        window_count integer not null default 0,
        window_limit integer not null default 0,
        window_carry integer not null default 0,
        misses_started_at bigint not null default 0,
        misses_count integer not null default 0,
        messages_sent bigint not null default 0,
        messages_received bigint not null default 0,
        last_position bigint not null default 0,
        last_received_at bigint not null default 0,
        queued_messages integer not null default 0,
        queued_bytes bigint not null default 0,
        handed_out_position bigint not null default 0,
        stream_node text,
        stream_id text,
        replaced_since bigint not null default 0,
        replaced_count integer not null default 0
      ) with (
        fillfactor = 50,
        autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0
      );

      create table messages (
        device_id text collate "C" not null,
        position bigint not null,
        message_id uuid not null,
        ciphertext bytea not null,
        sender_signature text not null,
        sent_at bigint not null,
        received_at bigint not null,
        expires_at bigint not null,
        system_event jsonb,
        primary key (device_id, position)
      ) with (
        autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0,
        autovacuum_analyze_scale_factor = 0.1,
        toast.autovacuum_vacuum_scale_factor = 0.02,
        toast.autovacuum_vacuum_threshold = 5000,
        toast.autovacuum_vacuum_cost_delay = 0
      );
      alter table messages alter column ciphertext set storage external;
      create index messages_message_id on messages (message_id, device_id);
      create index messages_expires_at on messages (expires_at);

      create table deduplication (
        key bytea primary key,
        expires_on integer not null
      ) with (
        autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0
      );
      create index deduplication_expires_on on deduplication (expires_on);
    `);
  },
};
