import type { Knex } from "knex";

/**
 * The sessions of administrators, so that they can be listed and ended, and the links of `mls-relay console`, by the hash
 * of their codes. Whether a session stands is not decided by its row, but by its token and the ended sessions.
 */
export const adminSessionsMigration = {
  name: "0062-admin-sessions",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table admin_sessions (
        session_id text primary key,
        device_id text not null,
        method text not null check (method in ('key', 'link')),
        began_at bigint not null,
        renewed_at bigint not null,
        expires_at bigint not null,
        ip_address text not null,
        user_agent text
      );
      create index admin_sessions_expires_at on admin_sessions (expires_at);
      create index admin_sessions_device_id on admin_sessions (device_id);

      create table admin_links (
        code_hash bytea primary key,
        device_id text not null,
        expires_at bigint not null
      );
    `);
  },
};
