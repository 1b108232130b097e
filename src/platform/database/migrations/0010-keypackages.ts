import type { Knex } from "knex";

/**
 * Key packages, distributed by device. A package is known by its SHA-256 digest, so the same one is stored once. One that
 * was handed out loses its bytes and leaves its digest until it would have expired: sent again, it is not stored again.
 * The account's row is locked by every hand-out and upload of its device, which makes the order of packages exact.
 *
 * The windows count fetches under keyed hashes of (fetching device, device fetched from): the table tells nobody who
 * took whose packages.
 */
export const keypackagesMigration = {
  name: "0010-keypackages",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table key_package_accounts (
        device_id text primary key,
        last_position bigint not null default 0,
        total_consumed bigint not null default 0,
        last_resort bytea,
        last_resort_expires_at bigint
      ) with (fillfactor = 50);
      create index key_package_accounts_last_resort_expires_at on key_package_accounts (last_resort_expires_at)
        where last_resort is not null;

      create table key_packages (
        device_id text not null,
        digest bytea not null,
        position bigint not null,
        key_package bytea,
        expires_at bigint not null,
        primary key (device_id, digest)
      ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
      alter table key_packages alter column key_package set storage external;
      create index key_packages_available on key_packages (device_id, position) include (expires_at)
        where key_package is not null;
      create index key_packages_expires_at on key_packages (expires_at);

      create table key_package_windows (
        key bytea primary key,
        count integer not null,
        expires_at bigint not null
      ) with (fillfactor = 85);
      create index key_package_windows_expires_at on key_package_windows (expires_at);
    `);
  },
};
