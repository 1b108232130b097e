/** What lets a device register: a delay proof or an invite. */
export const registrationTables = `
  create table registration_challenges (
    challenge bytea primary key,
    -- Of the device that asked for the challenge.
    public_key bytea not null,
    iterations bigint not null,
    created_at bigint not null,
    expires_at bigint not null,
    used_at bigint
  );
  create index registration_challenges_expires_at on registration_challenges (expires_at);

  -- The invites that were made here.
  create table invites (
    jti text primary key,
    -- The server that the invite is for.
    domain text not null,
    -- The hash of the invite's short form for people; null for an invite to another server.
    handle_hash bytea,
    max_uses integer not null,
    expires_at bigint not null,
    revoked_at bigint,
    created_by text not null,
    created_at bigint not null
  );
  create index invites_expires_at on invites (expires_at);
  create index invites_created_at on invites (created_at, jti);
  create unique index invites_handle_hash on invites (handle_hash) where handle_hash is not null;

  -- How often each invite has been used here. Uses are counted apart because a peer's invite has no row in invites.
  create table invite_uses (
    issuer text not null,
    jti text not null,
    uses integer not null,
    expires_at bigint not null,
    primary key (issuer, jti)
  );
  create index invite_uses_expires_at on invite_uses (expires_at);
`;
