import type { Knex } from "knex";

/**
 * Devices and their addresses. Devices are distributed by device_id and addresses by prefix, so no foreign key joins
 * them. A mark keeps the block or ban of a device that was removed, under a keyed hash of its id. Ids are compared byte
 * by byte, whatever the database's locale, as in the mailboxes that they are joined with.
 */
export const devicesMigration = {
  name: "0003-devices",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table devices (
        device_id text collate "C" primary key,
        public_key bytea not null,
        registered_at bigint not null,
        last_active bigint not null,
        admin_verified boolean not null default false,
        verified_at bigint,
        verified_by text,
        blocked_at bigint,
        banned_until bigint,
        custom_limit integer,
        custom_limit_set_at bigint,
        custom_limit_set_by text,
        custom_limit_expires_at bigint,
        spam_reports integer not null default 0,
        spam_reports_by_device integer not null default 0,
        max_retention_days integer,
        offline_message_limit integer,
        hide_presence boolean not null default false,
        announcements_since bigint not null default 0,
        announcements integer not null default 0,
        new_addresses_since bigint not null default 0,
        new_addresses integer not null default 0
      ) with (fillfactor = 85);
      create index devices_registered_at on devices (registered_at);
      create index devices_last_active on devices (last_active);
      create index devices_blocked_at on devices (blocked_at) where blocked_at is not null;

      create table addresses (
        prefix uuid primary key,
        device_id text collate "C" not null,
        spelling text not null check (spelling in ('uuid', 'hex')),
        server_url text not null,
        created_at bigint not null,
        announced_at bigint not null,
        expires_at bigint not null
      ) with (fillfactor = 85);
      create index addresses_device_id on addresses (device_id);

      create table device_marks (
        device_hash bytea primary key,
        blocked_at bigint,
        banned_until bigint,
        marked_at bigint not null
      );
    `);
  },
};
