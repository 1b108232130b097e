/** Administrators and their sessions. */
export const adminTables = `
  create table admins (
    device_id text primary key,
    public_key bytea not null,
    permissions text[] not null,
    added_at bigint not null
  );

  -- Administrators of the configuration that were added once, so that one who was removed does not come back with the
  -- next start.
  create table admin_seeds (
    device_id text primary key
  );

  -- A challenge carries its own proof of origin, so only those that were used are kept.
  create table admin_used_challenges (
    challenge bytea primary key,
    expires_at bigint not null
  );
  create index admin_used_challenges_expires_at on admin_used_challenges (expires_at);

  -- For the list of sessions. A session is valid by its token, unless it is among the ended ones.
  create table admin_sessions (
    session_id text primary key,
    device_id text not null,
    method text not null check (method in ('key', 'link')),
    began_at bigint not null,
    renewed_at bigint not null,
    expires_at bigint not null,
    ip_address text not null,
    user_agent text
  );
  create index admin_sessions_expires_at on admin_sessions (expires_at);
  create index admin_sessions_device_id on admin_sessions (device_id);

  -- The links of the command mls-relay console.
  create table admin_links (
    code_hash bytea primary key,
    device_id text not null,
    expires_at bigint not null
  );
`;
