import type { Knex } from "knex";

/**
 * The transaction that follows the one on its way to a destination, stored as well: then it leaves as soon as that one is
 * answered, and what the answer comes to is written down meanwhile.
 */
export const outboxNextMigration = {
  name: "0024-outbox-next",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      alter table outbox_destinations
        add column next_transaction_id uuid,
        add column next_transaction_at bigint,
        add column next_transaction_positions bigint[];
    `);
  },
};
