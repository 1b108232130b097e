import type { Knex } from "knex";

/**
 * Messages on their way to other servers, one queue per destination, and which servers a device has written to. Both
 * are distributed by their first column. A message's row tells nothing of its sender.
 *
 * A destination's row changes with every message and every transaction, its indexed columns only when sending begins or
 * ends there: half of each page is left free, so that no index is touched in between.
 */
export const outboxMigration = {
  name: "0023-outbox",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table outbox_destinations (
        domain text primary key,
        last_position bigint not null default 0,
        messages bigint not null default 0,
        bytes bigint not null default 0,
        used_at bigint not null,
        reached_at bigint,
        next_attempt_millis bigint,
        failures integer not null default 0,
        failed_at bigint,
        problem text,
        transaction_id uuid,
        transaction_at bigint,
        transaction_positions bigint[],
        transaction_limit integer,
        lease_node text,
        lease_id uuid,
        lease_until timestamptz
      ) with (
        fillfactor = 50,
        autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0
      );
      create index outbox_destinations_due on outbox_destinations ((failures > 0), next_attempt_millis)
        where lease_node is null and next_attempt_millis is not null;
      create index outbox_destinations_leased on outbox_destinations (lease_node) where lease_node is not null;

      create table outbox (
        domain text not null,
        position bigint not null,
        message_id uuid not null,
        recipient uuid not null,
        ciphertext bytea not null,
        sender_signature text not null,
        sent_at bigint not null,
        system_event jsonb,
        dedup_tag bytea not null,
        accepted_at bigint not null,
        expires_at bigint not null,
        primary key (domain, position)
      ) with (
        autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0,
        autovacuum_analyze_scale_factor = 0.1,
        toast.autovacuum_vacuum_scale_factor = 0.02,
        toast.autovacuum_vacuum_threshold = 5000,
        toast.autovacuum_vacuum_cost_delay = 0
      );
      alter table outbox alter column ciphertext set storage external;
      create index outbox_expires_at on outbox (expires_at);

      create table outbox_holds (
        domain text not null,
        recipient uuid not null,
        failures integer not null,
        until_millis bigint not null,
        primary key (domain, recipient)
      );

      create table device_federation (
        device_id text not null,
        domain text not null,
        sent bigint not null default 0,
        received bigint not null default 0,
        last_day integer not null,
        primary key (device_id, domain)
      ) with (fillfactor = 80);
      create index device_federation_last_day on device_federation (last_day);
    `);
  },
};
