import type { Knex } from "knex";

/**
 * What is known of other servers, all of it by host without port (`domain` is the name with the port, where the peer is
 * called): traffic and own calls by day, blocks, the allowlist, the lists that peers publish. One number tells nodes that
 * blocks, allowlist or standings changed.
 */
export const federationPeersMigration = {
  name: "0020-federation-peers",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table federation_peers (
        host text primary key,
        domain text not null,
        registrable text not null,
        first_contact bigint not null,
        last_activity bigint not null,
        delivered_total bigint not null default 0,
        certificate_valid boolean,
        status text not null default 'active' check (status in ('active', 'limited'))
      ) with (fillfactor = 80);

      create table federation_peer_days (
        host text not null,
        day integer not null,
        delivered bigint not null default 0,
        rejected bigint not null default 0,
        calls bigint not null default 0,
        calls_failed bigint not null default 0,
        call_millis bigint not null default 0,
        primary key (host, day)
      ) with (fillfactor = 80);
      create index federation_peer_days_day on federation_peer_days (day);

      create table federation_spam (
        host text not null,
        reporter_hash bytea not null,
        reported_at bigint not null,
        primary key (host, reporter_hash)
      );
      create index federation_spam_reported_at on federation_spam (reported_at);

      create table federation_blocks (
        domain text primary key,
        blocked_at bigint not null,
        reason text not null,
        blocked_by text,
        expires_at bigint,
        reason_category text not null,
        severity text not null
      );
      create index federation_blocks_expires_at on federation_blocks (expires_at);

      create table federation_allowlist (
        domain text primary key,
        added_at bigint not null,
        added_by text
      );

      create table federation_lists (
        publisher text primary key,
        fetched_at bigint not null
      );

      create table federation_listings (
        publisher text not null,
        domain text not null,
        primary key (publisher, domain)
      );
      create index federation_listings_domain on federation_listings (domain);

      create table federation_version (
        one boolean primary key default true check (one),
        version bigint not null,
        changed_at bigint not null
      );
      insert into federation_version (version, changed_at) values (0, 0);
    `);
  },
};
