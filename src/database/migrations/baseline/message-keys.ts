/**
 * The keys by which a repeated message is recognised (spec/decisions/0125). A key is in one of these tables or in both.
 */
export const messageKeysTables = `
  -- In partitions by day, which the relay creates ahead and drops. A distributed database has none.
  create table message_keys (key uuid primary key) partition by range (key);

  -- Keys of days without a partition.
  create table message_keys_default partition of message_keys default;

  -- Until when the keys of a day are kept.
  create table message_key_days (
    -- Since 1970.
    day integer primary key,
    kept_until integer not null
  );

  -- Keys that are kept for longer, or shorter, than the partition of their day, and all those of a distributed database. They
  -- are distributed by the key.
  create table message_keys_with_expiry (
    key uuid primary key,
    -- The last day on which it is recognised, since 1970.
    expires_on integer not null
  ) with (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0
  );
  create index message_keys_with_expiry_expires_on on message_keys_with_expiry (expires_on);
`;
