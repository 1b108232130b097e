import type { Knex } from "knex";

/** The certificate chains that tokens of peers were given for, so that they can be checked again. */
export const federationSessionChainsMigration = {
  name: "0036-federation-session-chains",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table federation_session_chains (
        id bytea primary key,
        chain bytea not null,
        expires_at bigint not null
      );
      create index federation_session_chains_expires_at on federation_session_chains (expires_at);
    `);
  },
};
