import type { Knex } from "knex";

/**
 * Until which day, since 1970, keys of a distributed database are looked for on this one, which was restored from it
 * (spec/decisions/0160).
 */
export const placelessKeysMigration = {
  name: "0096-placeless-keys",
  async up(db: Knex): Promise<void> {
    await db.raw("alter table earlier_hashes add column placeless_kept_until integer not null default 0");
  },
};
