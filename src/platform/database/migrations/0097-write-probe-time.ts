import type { Knex } from "knex";

/** When the probe was written, so that a node need not write what another one has written a moment ago. */
export const writeProbeTimeMigration = {
  name: "0097-write-probe-time",
  async up(db: Knex): Promise<void> {
    await db.raw("alter table write_probe add column written_at timestamptz not null default clock_timestamp()");
  },
};
