import type { Knex } from "knex";

/**
 * Transactions that are sent again at a time of their own, and the form in which each was first sent. Nodes of the version before
 * name no form: they sent tags and events to every peer.
 */
export const delayedTransactionsMigration = {
  name: "0098-delayed-transactions",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      alter table outbox_transactions
        add column form jsonb not null default '{"shares": false, "attached": false, "tags": true, "events": true}',
        add column due_millis bigint,
        add column delayed_at bigint,
        add column problem text,
        add column answers jsonb`);
    await db.raw("alter table outbox_holds add column transaction_id uuid");
  },
};
