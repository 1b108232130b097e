import type { Knex } from "knex";

/** The configuration tree, one row per key, and the number that tells nodes that it changed. */
export const settingsMigration = {
  name: "0002-settings",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table settings (
        key text primary key,
        value jsonb not null,
        updated_at bigint not null,
        updated_by text
      );

      create table settings_version (
        one boolean primary key default true check (one),
        version bigint not null
      );
      insert into settings_version (version) values (0);
    `);
  },
};
