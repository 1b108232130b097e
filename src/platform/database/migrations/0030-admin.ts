import type { Knex } from "knex";

/**
 * Administrators. A seed is remembered once it has been taken over, so that an administrator who was removed does not
 * come back with the next start. Challenges carry their own proof of origin; only those that were used are kept.
 */
export const adminMigration = {
  name: "0030-admin",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table admins (
        device_id text primary key,
        public_key bytea not null,
        permissions text[] not null,
        added_at bigint not null
      );

      create table admin_seeds (
        device_id text primary key
      );

      create table admin_used_challenges (
        challenge bytea primary key,
        expires_at bigint not null
      );
      create index admin_used_challenges_expires_at on admin_used_challenges (expires_at);

      create table admin_allowances (
        device_id text not null,
        kind text not null,
        window_started_at bigint not null,
        count integer not null,
        primary key (device_id, kind)
      ) with (fillfactor = 80);

      alter table invites add column domain text not null;
      create index invites_created_at on invites (created_at, jti);
    `);
  },
};
