import type { Knex } from "knex";

/**
 * What being called by peers leaves behind: used nonces, the windows of the limits per registrable domain, the answers
 * of transactions, and from which origin a message came, under a keyed hash of its id and its recipient's prefix.
 */
export const federationDeliveriesMigration = {
  name: "0021-federation-deliveries",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table used_nonces (
        nonce bytea primary key,
        expires_at bigint not null
      );
      create index used_nonces_expires_at on used_nonces (expires_at);

      create table federation_windows (
        registrable text primary key,
        window_started_at bigint not null,
        messages integer not null,
        transactions integer not null
      ) with (fillfactor = 50);
      create index federation_windows_age on federation_windows (window_started_at);

      create table federation_transactions (
        origin text not null,
        transaction_id uuid not null,
        digest bytea not null,
        answer jsonb,
        claim uuid not null,
        node text not null,
        expires_at bigint not null,
        primary key (origin, transaction_id)
      ) with (fillfactor = 70);
      create index federation_transactions_expires_at on federation_transactions (expires_at);

      create table federation_origins (
        key bytea not null,
        host text not null,
        expires_on integer not null,
        primary key (key, host)
      );
      create index federation_origins_expires_on on federation_origins (expires_on);
    `);
  },
};
