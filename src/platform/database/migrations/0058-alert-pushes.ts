import type { Knex } from "knex";

/** Which alerts are still to be sent to the operator, by which channel. */
export const alertPushesMigration = {
  name: "0058-alert-pushes",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table alert_pushes (
        alert_id text not null,
        event text not null,
        channel text not null,
        created_at bigint not null,
        attempts integer not null default 0,
        next_attempt_at bigint not null,
        primary key (alert_id, event, channel)
      );
    `);
  },
};
