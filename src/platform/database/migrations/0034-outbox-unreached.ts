import type { Knex } from "knex";

/**
 * Destinations that were never reached are looked for apart. The column is derived, so that it changes once in the life of a
 * destination: `reached_at` itself, which changes with every delivery, would have each of them touch the index.
 */
export const outboxUnreachedMigration = {
  name: "0034-outbox-unreached",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      alter table outbox_destinations
        add column unreached boolean not null generated always as (reached_at is null) stored;
      drop index outbox_destinations_due;
      create index outbox_destinations_due on outbox_destinations (unreached, (failures > 0), next_attempt_millis)
        where lease_node is null and next_attempt_millis is not null;
    `);
  },
};
