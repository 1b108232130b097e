import type { Knex } from "knex";

/** What the tools keep: nodes, keys, voided sessions, counters per network address. */
export const platformMigration = {
  name: "0001-platform",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create unlogged table nodes (
        node_id text primary key,
        started_at bigint not null,
        beat_at timestamptz not null
      );

      create table secrets (
        name text primary key,
        sealed bytea not null,
        created_at bigint not null
      );

      create table signing_keys (
        kid text primary key,
        public_key bytea not null,
        sealed_private bytea not null,
        created_at bigint not null,
        retired_at bigint,
        revoked_at bigint
      );

      create table revoked_sessions (
        sid text primary key,
        revoked_at bigint not null,
        expires_at bigint not null
      );
      create index revoked_sessions_revoked_at on revoked_sessions (revoked_at);
      create index revoked_sessions_expires_at on revoked_sessions (expires_at);

      create table session_cutoffs (
        subject text primary key,
        keep_sid text,
        cutoff bigint not null,
        expires_at bigint not null
      );
      create index session_cutoffs_expires_at on session_cutoffs (expires_at);
      create index session_cutoffs_cutoff on session_cutoffs (cutoff);

      create table ip_windows (
        ip_hash text not null,
        kind text not null,
        window_started_at bigint not null,
        count integer not null,
        expires_at bigint not null,
        primary key (ip_hash, kind)
      ) with (fillfactor = 80);
      create index ip_windows_expires_at on ip_windows (expires_at);

      create table ip_bans (
        ip_hash text primary key,
        until bigint not null
      );
      create index ip_bans_until on ip_bans (until);

      create table daily_keys (
        day integer primary key,
        sealed bytea not null
      );
    `);
  },
};
