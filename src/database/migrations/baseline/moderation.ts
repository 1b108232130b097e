/**
 * Spam reports, by reported device. Reporter and message are keyed hashes: enough to see that two reports have the same
 * reporter or message, and nothing more.
 */
export const moderationTables = `
  create table spam_reports (
    reported text collate "C" not null,
    -- A keyed hash of reporter and message.
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
`;
