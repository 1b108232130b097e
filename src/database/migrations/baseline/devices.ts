/**
 * Devices and their addresses. Devices are distributed by device_id and addresses by prefix, so no foreign key joins them.
 * Ids are compared byte by byte, whatever the database's locale, in this and all other tables with ids of devices.
 */
export const devicesTables = `
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
    -- Messages in a sending window, in place of the tier's number.
    custom_limit integer,
    custom_limit_set_at bigint,
    custom_limit_set_by text,
    custom_limit_expires_at bigint,
    -- Reports about this device.
    spam_reports integer not null default 0,
    spam_reports_by_device integer not null default 0,
    -- What the device asks for; null for what the server allows.
    max_retention_days integer,
    offline_message_limit integer,
    hide_presence boolean not null default false
  ) with (fillfactor = 85);
  create index devices_registered_at on devices (registered_at);
  create index devices_last_active on devices (last_active);
  create index devices_blocked_at on devices (blocked_at) where blocked_at is not null;

  create table addresses (
    prefix uuid primary key,
    device_id text collate "C" not null,
    -- How the device wrote the prefix.
    spelling text not null check (spelling in ('uuid', 'hex')),
    server_url text not null,
    created_at bigint not null,
    announced_at bigint not null,
    expires_at bigint not null
  ) with (fillfactor = 85);
  create index addresses_device_id on addresses (device_id);

  -- The blocks and bans of devices that were removed, under keyed hashes of their ids.
  create table block_tombstones (
    device_hash bytea primary key,
    blocked_at bigint,
    banned_until bigint,
    marked_at bigint not null
  );
  create index block_tombstones_banned_until on block_tombstones (banned_until) where blocked_at is null;
`;
