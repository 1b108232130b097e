import type { Knex } from "knex";

/** Which domain each node serves: all nodes of one database serve the same. Null for nodes of earlier versions. */
export const nodeDomainsMigration = {
  name: "0040-node-domains",
  async up(db: Knex): Promise<void> {
    await db.raw("alter table nodes add column domain text");
  },
};
