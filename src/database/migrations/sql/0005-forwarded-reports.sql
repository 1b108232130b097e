-- Reports that came from other relays. The relays are keyed hashes, so that a relay with one user does not name the reporter.
alter table spam_reports add column peer bytea;
