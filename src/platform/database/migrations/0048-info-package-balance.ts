import type { Knex } from "knex";

/**
 * What info packages without an uploader take together, which is bounded. Each such package knows what was charged for it;
 * the balance is their sum, changed in the statement that adds, uses up or removes one. Packages that a node of an earlier
 * version stores meanwhile are charged nothing; the clean-up counts again.
 */
export const infoPackageBalanceMigration = {
  name: "0048-info-package-balance",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      alter table info_packages add column charged_bytes bigint not null default 0;
      update info_packages set charged_bytes = 256 + coalesce(octet_length(ciphertext), 0) where uploader is null;
      create index info_packages_charged_bytes on info_packages (charged_bytes) where charged_bytes > 0;

      create table info_package_balance (
        one boolean primary key default true check (one),
        anonymous_bytes bigint not null
      ) with (fillfactor = 50);
      insert into info_package_balance (anonymous_bytes)
      select coalesce(sum(charged_bytes), 0) from info_packages where charged_bytes > 0;
    `);
  },
};
