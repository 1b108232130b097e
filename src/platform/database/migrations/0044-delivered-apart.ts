import type { Knex } from "knex";

/** Marks messages that were handed out although older ones were left out, where an older one has the same id. */
export const deliveredApartMigration = {
  name: "0044-delivered-apart",
  async up(db: Knex): Promise<void> {
    await db.raw("alter table messages add column delivered_apart boolean not null default false");
  },
};
