/** Info packages of all three kinds, by the segment of their links. */
export const infopackagesTables = `
  -- A package that is used up keeps its row, without the ciphertext, until it would have expired, so that it can be told
  -- from one that never was.
  create table info_packages (
    segment text collate "C" primary key,
    kind text not null check (kind in ('sealed', 'revocable', 'plain')),
    ciphertext bytea,
    package_type text,
    created_at bigint not null,
    expires_at bigint not null,
    max_uses integer,
    uses_remaining integer check (uses_remaining >= 0),
    uploader text collate "C",
    revocation_hash bytea,
    -- What was added to the balance for a package without an uploader; 0 for others.
    charged_bytes bigint not null default 0,
    check ((uploader is null) = (kind = 'revocable')),
    check ((revocation_hash is null) = (kind <> 'revocable')),
    check ((max_uses is null) = (uses_remaining is null)),
    check ((ciphertext is null) = (uses_remaining is not distinct from 0))
  ) with (fillfactor = 90);
  alter table info_packages alter column ciphertext set storage external;
  create index info_packages_expires_at on info_packages (expires_at);
  create index info_packages_uploader on info_packages (uploader) where uploader is not null;
  create index info_packages_charged_bytes on info_packages (charged_bytes) where charged_bytes > 0;

  -- What packages without an uploader take together, which is bounded. It changes in the statement that adds, uses up or
  -- removes one.
  create table info_package_balance (
    one boolean primary key default true check (one),
    anonymous_bytes bigint not null
  ) with (fillfactor = 50);
  insert into info_package_balance (anonymous_bytes) values (0);
`;
