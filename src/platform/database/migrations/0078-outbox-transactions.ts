import type { Knex } from "knex";

/**
 * The transactions to other servers that have no answer yet, any number for a destination. The columns of
 * `outbox_destinations` for the current and the next one are no longer used; nodes of the version before still use them.
 */
export const outboxTransactionsMigration = {
  name: "0078-outbox-transactions",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table outbox_transactions (
        domain text not null,
        id uuid not null,
        at bigint not null,
        positions bigint[] not null,
        primary key (domain, id)
      ) with (
        autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0
      );
    `);
  },
};
