/**
 * What is known about other servers, and records of their calls. A host is a server's name without port, a domain the
 * name with the port by which it is called.
 */
export const federationTables = `
  create table federation_peers (
    host text primary key,
    domain text not null,
    -- By which calls are limited.
    registrable_domain text not null,
    first_contact bigint not null,
    last_activity bigint not null,
    delivered_total bigint not null default 0,
    -- Null until the server was called.
    certificate_valid boolean,
    status text not null default 'active' check (status in ('active', 'limited'))
  ) with (fillfactor = 80);

  create table federation_peer_days (
    host text not null,
    -- Since 1970.
    day integer not null,
    -- Messages that the peer sent.
    delivered bigint not null default 0,
    rejected bigint not null default 0,
    -- Our calls to the peer.
    calls bigint not null default 0,
    calls_failed bigint not null default 0,
    call_millis bigint not null default 0,
    primary key (host, day)
  ) with (fillfactor = 80);
  create index federation_peer_days_day on federation_peer_days (day);

  -- Each reporter counts once against a host.
  create table federation_spam_reporters (
    host text not null,
    reporter_hash bytea not null,
    reported_at bigint not null,
    primary key (host, reporter_hash)
  );
  create index federation_spam_reporters_reported_at on federation_spam_reporters (reported_at);

  create table federation_blocks (
    -- A host, or a name above it.
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

  -- The lists of blocked servers that peers publish.
  create table federation_peer_blocklists (
    publisher text primary key,
    fetched_at bigint not null
  );
  create table federation_peer_blocklist_entries (
    publisher text not null,
    domain text not null,
    primary key (publisher, domain)
  );
  create index federation_peer_blocklist_entries_domain on federation_peer_blocklist_entries (domain);

  -- Grows with every change of blocks, allowlist or status, so that nodes notice it.
  create table federation_policy_version (
    one boolean primary key default true check (one),
    version bigint not null,
    changed_at bigint not null
  );
  insert into federation_policy_version (version, changed_at) values (0, 0);

  create table used_nonces (
    nonce bytea primary key,
    expires_at bigint not null
  );
  create index used_nonces_expires_at on used_nonces (expires_at);

  -- The certificate chains that tokens of peers were given for, so that they can be checked again.
  create table federation_session_chains (
    id bytea primary key,
    chain bytea not null,
    expires_at bigint not null
  );
  create index federation_session_chains_expires_at on federation_session_chains (expires_at);

  -- The answers of transactions, so that a repeated one gets the same.
  create table federation_transactions (
    origin text not null,
    transaction_id uuid not null,
    digest bytea not null,
    -- Null while the transaction is being processed, by this claim on this node.
    answer jsonb,
    claim uuid not null,
    node text not null,
    expires_at bigint not null,
    primary key (origin, transaction_id)
  ) with (fillfactor = 70);
  create index federation_transactions_expires_at on federation_transactions (expires_at);

  -- From which server a message came, under a keyed hash of its id and its recipient's prefix.
  create table federation_origins (
    key bytea not null,
    host text not null,
    -- A day since 1970.
    expires_on integer not null,
    primary key (key, host)
  );
  create index federation_origins_expires_on on federation_origins (expires_on);
`;
