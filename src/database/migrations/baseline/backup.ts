/** The backups that were made, and the result of the last one. */
export const backupTables = `
  create table backup_state (
    one boolean primary key default true check (one),
    -- Without a backup, its age counts from here.
    watched_since bigint not null,
    -- Of the last backup that succeeded.
    started_at bigint,
    finished_at bigint,
    bytes bigint,
    -- Why a later one failed.
    problem text,
    -- When an administrator asked for one that was not begun yet.
    requested_at bigint,
    running_since bigint
  ) with (fillfactor = 50);

  create table backups (
    id bigint generated always as identity primary key,
    started_at bigint not null,
    finished_at bigint not null,
    origin text not null check (origin in ('schedule', 'administrator', 'command')),
    file text not null,
    bytes bigint,
    problem text
  );
`;
