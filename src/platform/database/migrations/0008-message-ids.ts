import type { Knex } from "knex";

/**
 * Messages by their ids, with a part of the device's id, so that no other statement can take this index for its own. After
 * a queue has been emptied and vacuumed, indexes are as large as they were and hold next to nothing, for which the planner
 * chooses the smaller one: acknowledgements by device and position went through this one until the next analysis, a
 * hundred times as many pages. It is also half as large.
 */
export const messageIdsMigration = {
  name: "0008-message-ids",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      drop index messages_message_id;
      create index messages_message_id on messages (message_id, left(device_id, 8));
    `);
  },
};
