import type { Knex } from "knex";

/** Written to find out whether the database takes writes and has room for more; what it holds is of no use. */
export const writeProbeMigration = {
  name: "0041-write-probe",
  async up(db: Knex): Promise<void> {
    await db.raw("create table write_probe (filler text not null)");
  },
};
