import type { Knex } from "knex";

/** The database process by which a node holds leadership, so that another one can end it when the node hangs. */
export const nodeLeadersMigration = {
  name: "0085-node-leaders",
  async up(db: Knex): Promise<void> {
    await db.raw("alter table nodes add column leader_pid integer");
  },
};
