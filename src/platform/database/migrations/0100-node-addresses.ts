import type { Knex } from "knex";

/** The public address of each node, for commands on its machine. Null for nodes of earlier versions. */
export const nodeAddressesMigration = {
  name: "0100-node-addresses",
  async up(db: Knex): Promise<void> {
    await db.raw("alter table nodes add column base_url text");
  },
};
