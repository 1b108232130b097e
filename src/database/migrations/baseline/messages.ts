/**
 * Queues, their messages, and the counters of senders. All are distributed by device_id, so every primary key begins
 * with it.
 */
export const messagesTables = `
  -- What is known of a device's queue, and the device's open stream. A row changes with every message: half of each page
  -- is left free, so that a new version fits beside the old one and no index is touched.
  create table queues (
    device_id text collate "C" primary key,
    messages_received bigint not null default 0,
    last_position bigint not null default 0,
    last_received_at bigint not null default 0,
    queued_messages integer not null default 0,
    queued_bytes bigint not null default 0,
    -- The highest position up to which everything was delivered.
    delivery_cursor bigint not null default 0,
    stream_node text,
    stream_id text
  ) with (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
  );

  -- Rows are written once and deleted once: vacuum comes early and unthrottled, because dead rows, not live ones, are
  -- what slows a queue down.
  create table messages (
    device_id text collate "C" not null,
    position bigint not null,
    message_id uuid not null,
    ciphertext bytea not null,
    sender_signature text not null,
    sent_at bigint not null,
    received_at bigint not null,
    expires_at bigint not null,
    system_event jsonb,
    -- Delivered although an older message with the same id was skipped.
    delivered_out_of_order boolean not null default false,
    primary key (device_id, position)
  ) with (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.1,
    toast.autovacuum_vacuum_scale_factor = 0.02,
    toast.autovacuum_vacuum_threshold = 5000,
    toast.autovacuum_vacuum_cost_delay = 0
  );
  alter table messages alter column ciphertext set storage external;
  -- For acknowledgements. It begins with the message's id because that grows with time: inserts and deletes then touch
  -- neighbouring pages. It holds only a part of the device's id, so that no other statement uses it: after a queue has been
  -- emptied and vacuumed, the planner would prefer it to the primary key for its size.
  create index messages_message_id on messages (message_id, left(device_id, 8));
  create index messages_expires_at on messages (expires_at);

  -- What tells senders is apart from what is stored with their messages, in tables that are in no log and no base backup.
  -- The first window counts sends, the second one misses: repetitions, unknown recipients and refused messages.
  create unlogged table sending_windows (
    device_id text collate "C" primary key,
    started_at bigint not null default 0,
    count bigint not null default 0,
    window_limit integer not null default 0,
    -- Messages that the window before left over.
    carry integer not null default 0,
    -- The part of the last request that was granted.
    granted bigint not null default 0,
    misses_started_at bigint not null default 0,
    misses_count bigint not null default 0,
    misses_granted bigint not null default 0,
    -- Messages that are not yet in sent_totals.
    sent bigint not null default 0
  ) with (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
  );

  -- How many messages each device has sent. A job adds what the windows counted, for all devices together.
  create table sent_totals (
    device_id text collate "C" primary key,
    sent bigint not null
  ) with (fillfactor = 80);

  -- How many messages each device exchanged with each server.
  create table device_federation (
    device_id text collate "C" not null,
    -- Empty for the sum of servers that were forgotten.
    domain text not null,
    sent bigint not null default 0,
    received bigint not null default 0,
    -- Since 1970.
    last_day integer not null,
    primary key (device_id, domain)
  ) with (fillfactor = 80);
  create index device_federation_last_day on device_federation (last_day);

  -- What a job will add to device_federation, for all devices together.
  create unlogged table recent_federation_sends (
    device_id text collate "C" not null,
    domain text not null,
    sent bigint not null,
    last_day integer not null,
    primary key (device_id, domain)
  ) with (fillfactor = 80);
`;
