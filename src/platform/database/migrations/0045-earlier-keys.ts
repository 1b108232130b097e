import type { Knex } from "knex";

/**
 * Until which days (since 1970) the hashes of messages matter in the form that they had before they began with their day: up
 * to the first, nodes of that version may still run beside, so hashes are stored in both forms; up to the second, some are
 * stored in that form alone. A database without devices has seen none of that, and has no row here.
 */
export const earlierKeysMigration = {
  name: "0045-earlier-keys",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table earlier_keys (
        one boolean primary key default true check (one),
        written_until integer not null,
        kept_until integer not null
      );

      insert into earlier_keys (written_until, kept_until)
      select t.today + 1,
             greatest(
               t.today + 2 + coalesce(
                 (select (value #>> '{}')::integer from settings where key = 'server.max_retention_days'), 30),
               (select max(expires_on) from deduplication),
               (select max(expires_on) from federation_origins)
             )
      from (select floor(extract(epoch from now()) / 86400)::integer as today) as t
      where exists (select from devices);
    `);
  },
};
