/** Nodes, keys, ended sessions and rate limits. */
export const platformTables = `
  -- The processes that serve this database. The database stamps and compares the heartbeats.
  create unlogged table nodes (
    node_id text primary key,
    started_at bigint not null,
    heartbeat_at timestamptz not null,
    -- Where commands on the node's machine reach it.
    listens_at text not null,
    -- The database process by which the node holds leadership, so that another node can end it when this one hangs.
    leader_pid integer
  );

  -- The name and the public address with which a relay last started on this database. Addresses contain the name.
  create table server_name (
    one boolean primary key default true check (one),
    domain text not null,
    base_url text not null
  );

  -- When each periodic job last ran, so that a relay that is restarted often still runs those that are rarely due.
  create table job_runs (
    name text primary key,
    ran_at_millis bigint not null
  ) with (fillfactor = 50);

  -- Keys of hashes and of links between nodes, encrypted with the master key.
  create table secrets (
    name text primary key,
    sealed bytea not null,
    created_at bigint not null
  );

  -- The keys of one day each, under which network addresses and other names are hashed.
  create table daily_keys (
    -- Since 1970.
    day integer primary key,
    sealed bytea not null
  );

  -- The server's own Ed25519 keys. One signs; a retired one verifies until its last token has expired.
  create table signing_keys (
    kid text primary key,
    public_key bytea not null,
    sealed_private bytea not null,
    created_at bigint not null,
    retired_at bigint,
    revoked_at bigint
  );

  -- Sessions that ended before their tokens expire.
  create table revoked_sessions (
    sid text primary key,
    revoked_at bigint not null,
    expires_at bigint not null
  );
  create index revoked_sessions_revoked_at on revoked_sessions (revoked_at);
  create index revoked_sessions_expires_at on revoked_sessions (expires_at);

  -- Subjects of which all sessions that began before a time have ended, apart from one.
  create table session_cutoffs (
    subject text primary key,
    keep_sid text,
    cutoff bigint not null,
    expires_at bigint not null
  );
  create index session_cutoffs_expires_at on session_cutoffs (expires_at);
  create index session_cutoffs_cutoff on session_cutoffs (cutoff);

  -- Signed requests that were accepted, under keyed hashes of what was signed, for as long as their timestamps would let
  -- them be sent again. A hash tells nobody whose request it was.
  create table used_signatures (
    hash bytea primary key,
    expires_at bigint not null
  ) with (fillfactor = 85);
  create index used_signatures_expires_at on used_signatures (expires_at);

  -- All windows but those of senders, under keyed hashes: the table names neither devices nor network addresses, and is
  -- in no log and no base backup.
  create unlogged table rate_limits (
    key bytea primary key,
    count bigint not null,
    expires_at bigint not null
  ) with (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
  );
  create index rate_limits_expires_at on rate_limits (expires_at);

  create table ip_bans (
    ip_hash text primary key,
    banned_until bigint not null
  );
  create index ip_bans_banned_until on ip_bans (banned_until);
`;
