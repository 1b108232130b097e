-- Wake-up pushes. The table of subscriptions is small and is searched by time, so it lies on one machine, also where devices are
-- distributed. Times are Unix seconds unless a column's name says otherwise.

create table push_subscriptions (
  device_id text collate "C" primary key,
  -- Endpoint and keys, encrypted under a secret that the master key encrypts.
  sealed bytea not null,
  -- A keyed hash of the endpoint's origin, by which a push service is paused.
  service bytea not null,
  -- The VAPID key that the subscription was made for.
  key_id text not null,
  urgency text not null check (urgency in ('high', 'low')),
  created_at bigint not null,
  expires_at bigint,
  -- The code that the device must echo, hashed, and until when. A confirmed subscription keeps the hash for repetitions.
  code_hash bytea not null,
  code_expires_at bigint not null,
  confirmed boolean not null default false,
  -- The push that is due, if there is one: since when there is a reason for it, and after how many failed attempts.
  due_at_millis bigint,
  due_since_millis bigint,
  due_urgency text check (due_urgency in ('high', 'low')),
  attempts integer not null default 0,
  -- The node that sends it now.
  lease uuid,
  leased_until_millis bigint not null default 0,
  -- The last push that the service took, and the device's queue at that time.
  pushed_at bigint,
  pushed_position bigint not null default 0,
  pushed_cursor bigint not null default 0,
  low_pushed_at bigint,
  -- Pushes for messages since the device last read its queue.
  unanswered integer not null default 0
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
create index push_subscriptions_due_at_millis on push_subscriptions (due_at_millis) where due_at_millis is not null;
create index push_subscriptions_service on push_subscriptions (service) where due_at_millis is not null;
create index push_subscriptions_expires_at on push_subscriptions (expires_at) where expires_at is not null;

-- Push services that have failed since they last took a push.
create table push_services (
  service bytea primary key,
  failures integer not null,
  failed_at bigint not null,
  paused_until bigint not null
) with (fillfactor = 70);
