import type { Knex } from "knex";

/** Device ids have one collation everywhere, so that tables with the same ids can lie in the same shards. */
export const collationsMigration = {
  name: "0069-collations",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      alter table device_federation alter column device_id type text collate "C";
      alter table key_package_accounts alter column device_id type text collate "C";
      alter table key_packages alter column device_id type text collate "C";
    `);
  },
};
