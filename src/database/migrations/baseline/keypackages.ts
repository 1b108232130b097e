/**
 * Key packages, distributed by device. Fetches are counted in rate_limits under keyed hashes, so no table reveals who
 * took whose packages.
 */
export const keypackagesTables = `
  -- Locked by every fetch and upload of the device, which makes the order of packages exact.
  create table key_package_accounts (
    device_id text collate "C" primary key,
    last_position bigint not null default 0,
    total_consumed bigint not null default 0,
    last_resort bytea,
    last_resort_expires_at bigint
  ) with (fillfactor = 50);
  create index key_package_accounts_last_resort_expires_at on key_package_accounts (last_resort_expires_at)
    where last_resort is not null;

  -- A package that was fetched leaves its digest until it would have expired, so that it is not stored again.
  create table key_packages (
    device_id text collate "C" not null,
    -- SHA-256.
    digest bytea not null,
    position bigint not null,
    -- Null once it was fetched.
    key_package bytea,
    expires_at bigint not null,
    primary key (device_id, digest)
  ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
  alter table key_packages alter column key_package set storage external;
  create index key_packages_available on key_packages (device_id, position) include (expires_at)
    where key_package is not null;
  create index key_packages_expires_at on key_packages (expires_at);
`;
