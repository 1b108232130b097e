import type { Knex } from "knex";

/**
 * Info packages of all three kinds, and the upload windows of devices (those of network addresses are in ip_windows).
 * A package that is used up keeps its row, without the ciphertext, until it would have expired: so it can be told from
 * one that never was. Packages are distributed by segment, windows by device.
 */
export const infopackagesMigration = {
  name: "0012-infopackages",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table info_packages (
        segment text collate "C" primary key,
        kind text not null check (kind in ('sealed', 'revocable', 'plain')),
        ciphertext bytea,
        package_type text,
        created_at bigint not null,
        expires_at bigint not null,
        max_uses integer,
        uses_remaining integer check (uses_remaining >= 0),
        uploader text collate "C",
        revocation_hash bytea,
        check ((uploader is null) = (kind = 'revocable')),
        check ((revocation_hash is null) = (kind <> 'revocable')),
        check ((max_uses is null) = (uses_remaining is null)),
        check ((ciphertext is null) = (uses_remaining is not distinct from 0))
      ) with (fillfactor = 90);
      alter table info_packages alter column ciphertext set storage external;
      create index info_packages_expires_at on info_packages (expires_at);
      create index info_packages_uploader on info_packages (uploader) where uploader is not null;

      create table info_package_uploads (
        device_id text collate "C" primary key,
        hour_started_at bigint not null,
        hour_count integer not null,
        day_started_at bigint not null,
        day_count integer not null
      ) with (fillfactor = 70);
      create index info_package_uploads_day_started_at on info_package_uploads (day_started_at);
    `);
  },
};
