import type { Knex } from "knex";

/**
 * Signed requests that were accepted, under keyed hashes of what was signed, for as long as their timestamps would let them
 * be sent again. A hash tells nobody whose request it was.
 */
export const usedSignaturesMigration = {
  name: "0047-used-signatures",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table used_signatures (
        hash bytea primary key,
        expires_at bigint not null
      ) with (fillfactor = 85);
      create index used_signatures_expires_at on used_signatures (expires_at);
    `);
  },
};
