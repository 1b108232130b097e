import type { Knex } from "knex";

/** When the last backup was made, and what became of the one after it. */
export const backupsMigration = {
  name: "0050-backups",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table backup_state (
        one boolean primary key default true check (one),
        watched_since bigint not null,
        started_at bigint,
        finished_at bigint,
        bytes bigint,
        problem text
      ) with (fillfactor = 50);
    `);
  },
};
