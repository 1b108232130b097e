/** Messages for other relays say how long they live, where their senders chose that. */
export const lifetimes = {
  name: "0004-lifetimes",
  async up(db: { run(sql: string): Promise<void> }): Promise<void> {
    await db.run("alter table outbox add column has_lifetime boolean not null default false");
  },
};
