import type { Knex } from "knex";

/**
 * Spam reports, by the device they are about. Reporter and message are there as keyed hashes alone: enough to tell that
 * two reports are of one reporter, or about one message, and no more. The other index serves the clean-up of marks.
 */
export const moderationMigration = {
  name: "0013-moderation",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      create table spam_reports (
        reported text collate "C" not null,
        report_key bytea not null,
        report_id uuid not null,
        reporter bytea not null,
        reporter_tier text not null,
        status text not null check (status in ('verified', 'unverified', 'federated', 'pardoned')),
        reason text not null,
        details text,
        reported_at bigint not null,
        primary key (reported, report_key)
      );
      create index spam_reports_reporter on spam_reports (reporter, reported_at);
      create index spam_reports_reported_at on spam_reports (reported_at) where status <> 'verified';

      create index device_marks_banned_until on device_marks (banned_until) where blocked_at is null;
    `);
  },
};
