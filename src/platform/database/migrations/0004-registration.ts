import type { Knex } from "knex";

/**
 * Open challenges, invites made here, and how often each invite, of this server or of a peer, has been used. Uses are
 * counted apart from invites because a peer's invite has no row here.
 */
export const registrationMigration = {
  name: "0004-registration",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table registration_challenges (
        challenge bytea primary key,
        public_key bytea not null,
        iterations bigint not null,
        created_at bigint not null,
        expires_at bigint not null,
        used_at bigint
      );
      create index registration_challenges_expires_at on registration_challenges (expires_at);

      create table invites (
        jti text primary key,
        max_uses integer not null,
        expires_at bigint not null,
        revoked_at bigint,
        created_by text not null,
        created_at bigint not null
      );
      create index invites_expires_at on invites (expires_at);

      create table invite_uses (
        issuer text not null,
        jti text not null,
        uses integer not null,
        expires_at bigint not null,
        primary key (issuer, jti)
      );
      create index invite_uses_expires_at on invite_uses (expires_at);
    `);
  },
};
