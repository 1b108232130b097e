import type { Knex } from "knex";

/** When each periodic job last ran, so that a relay that is restarted often still runs those that are rarely due. */
export const jobRunsMigration = {
  name: "0039-job-runs",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table job_runs (
        name text primary key,
        ran_at_millis bigint not null
      ) with (fillfactor = 50);
    `);
  },
};
