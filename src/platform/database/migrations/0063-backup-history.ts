import type { Knex } from "knex";

/** The backups that were made or failed, whether one is being made, and whether an administrator asked for one. */
export const backupHistoryMigration = {
  name: "0063-backup-history",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      alter table backup_state
        add column requested_at bigint,
        add column running_since bigint;

      create table backups (
        id bigint generated always as identity primary key,
        started_at bigint not null,
        finished_at bigint not null,
        origin text not null check (origin in ('schedule', 'administrator', 'command')),
        file text not null,
        bytes bigint,
        problem text
      );
    `);
  },
};
