import type { Knex } from "knex";

/** The hash of an invite's handle, its short form for people. Null for invites of earlier versions and for other servers. */
export const inviteHandlesMigration = {
  name: "0099-invite-handles",
  async up(db: Knex): Promise<void> {
    await db.raw("alter table invites add column handle_hash bytea");
    await db.raw("create unique index invites_handle_hash on invites (handle_hash) where handle_hash is not null");
  },
};
