-- The tables of every module. Times are Unix seconds unless a column's name says otherwise.

-- ------------------------------------------------------------ platform
-- Nodes, keys, ended sessions and rate limits.

-- The processes that serve this database. The database stamps and compares the heartbeats.
create unlogged table nodes (
  node_id text primary key,
  started_at bigint not null,
  heartbeat_at timestamptz not null,
  -- Where commands on the node's machine reach it.
  listens_at text not null,
  -- The database process by which the node holds leadership, so that another node can end it when this one hangs.
  leader_pid integer
);

-- The name and the public address with which a relay last started on this database. Addresses contain the name.
create table server_name (
  one boolean primary key default true check (one),
  domain text not null,
  base_url text not null
);

-- When each periodic job last ran, so that a relay that is restarted often still runs those that are rarely due.
create table job_runs (
  name text primary key,
  ran_at_millis bigint not null
) with (fillfactor = 50);

-- Keys of hashes and of links between nodes, encrypted with the master key.
create table secrets (
  name text primary key,
  sealed bytea not null,
  created_at bigint not null
);

-- The keys of one day each, under which network addresses and other names are hashed.
create table daily_keys (
  -- Since 1970.
  day integer primary key,
  sealed bytea not null
);

-- The server's own Ed25519 keys. One signs; a retired one verifies until its last token has expired.
create table signing_keys (
  kid text primary key,
  public_key bytea not null,
  sealed_private bytea not null,
  created_at bigint not null,
  retired_at bigint,
  revoked_at bigint
);

-- Sessions that ended before their tokens expire.
create table revoked_sessions (
  sid text primary key,
  revoked_at bigint not null,
  expires_at bigint not null
);
create index revoked_sessions_revoked_at on revoked_sessions (revoked_at);
create index revoked_sessions_expires_at on revoked_sessions (expires_at);

-- Subjects of which all sessions that began before a time have ended, apart from one.
create table session_cutoffs (
  subject text primary key,
  keep_sid text,
  cutoff bigint not null,
  expires_at bigint not null
);
create index session_cutoffs_expires_at on session_cutoffs (expires_at);
create index session_cutoffs_cutoff on session_cutoffs (cutoff);

-- Signed requests that were accepted, under keyed hashes of what was signed, for as long as their timestamps would let
-- them be sent again. A hash tells nobody whose request it was.
create table used_signatures (
  hash bytea primary key,
  expires_at bigint not null
) with (fillfactor = 85);
create index used_signatures_expires_at on used_signatures (expires_at);

-- All windows but those of senders, under keyed hashes: the table names neither devices nor network addresses, and is
-- in no log and no base backup.
create unlogged table rate_limits (
  key bytea primary key,
  count bigint not null,
  expires_at bigint not null
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);
create index rate_limits_expires_at on rate_limits (expires_at);

create table ip_bans (
  ip_hash text primary key,
  banned_until bigint not null
);
create index ip_bans_banned_until on ip_bans (banned_until);

-- ------------------------------------------------------------ settings
-- The settings that administrators change while the relay runs.

create table settings (
  key text primary key,
  value jsonb not null,
  updated_at bigint not null,
  updated_by text
);

-- Grows with every change, so that nodes notice it.
create table settings_version (
  one boolean primary key default true check (one),
  version bigint not null
);
insert into settings_version (version) values (0);

-- ------------------------------------------------------------ devices
-- Devices and their addresses. Devices are distributed by device_id and addresses by prefix, so no foreign key joins them.
-- Ids are compared byte by byte, whatever the database's locale, in this and all other tables with ids of devices.

create table devices (
  device_id text collate "C" primary key,
  public_key bytea not null,
  registered_at bigint not null,
  last_active bigint not null,
  admin_verified boolean not null default false,
  verified_at bigint,
  verified_by text,
  blocked_at bigint,
  banned_until bigint,
  -- Messages in a sending window, in place of the tier's number.
  custom_limit integer,
  custom_limit_set_at bigint,
  custom_limit_set_by text,
  custom_limit_expires_at bigint,
  -- Reports about this device.
  spam_reports integer not null default 0,
  spam_reports_by_device integer not null default 0,
  -- What the device asks for; null for what the server allows.
  max_retention_days integer,
  offline_message_limit integer,
  hide_presence boolean not null default false
) with (fillfactor = 85);
create index devices_registered_at on devices (registered_at);
create index devices_last_active on devices (last_active);
create index devices_blocked_at on devices (blocked_at) where blocked_at is not null;

create table addresses (
  prefix uuid primary key,
  device_id text collate "C" not null,
  -- How the device wrote the prefix.
  spelling text not null check (spelling in ('uuid', 'hex')),
  server_url text not null,
  created_at bigint not null,
  announced_at bigint not null,
  expires_at bigint not null
) with (fillfactor = 85);
create index addresses_device_id on addresses (device_id);

-- The blocks and bans of devices that were removed, under keyed hashes of their ids.
create table block_tombstones (
  device_hash bytea primary key,
  blocked_at bigint,
  banned_until bigint,
  marked_at bigint not null
);
create index block_tombstones_banned_until on block_tombstones (banned_until) where blocked_at is null;

-- ------------------------------------------------------------ registration
-- What lets a device register: a delay proof or an invite.

create table registration_challenges (
  challenge bytea primary key,
  -- Of the device that asked for the challenge.
  public_key bytea not null,
  iterations bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
);
create index registration_challenges_expires_at on registration_challenges (expires_at);

-- The invites that were made here.
create table invites (
  jti text primary key,
  -- The server that the invite is for.
  domain text not null,
  -- The hash of the invite's short form for people; null for an invite to another server.
  handle_hash bytea,
  max_uses integer not null,
  expires_at bigint not null,
  revoked_at bigint,
  created_by text not null,
  created_at bigint not null
);
create index invites_expires_at on invites (expires_at);
create index invites_created_at on invites (created_at, jti);
create unique index invites_handle_hash on invites (handle_hash) where handle_hash is not null;

-- How often each invite has been used here. Uses are counted apart because a peer's invite has no row in invites.
create table invite_uses (
  issuer text not null,
  jti text not null,
  uses integer not null,
  expires_at bigint not null,
  primary key (issuer, jti)
);
create index invite_uses_expires_at on invite_uses (expires_at);

-- ------------------------------------------------------------ messages
-- Queues, their messages, and the counters of senders. All are distributed by device_id, so every primary key begins
-- with it.

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

-- ------------------------------------------------------------ message-keys
-- The keys by which a repeated message is recognised (spec/decisions/0125). A key is in one of these tables or in both.

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

-- ------------------------------------------------------------ federation
-- What is known about other servers, and records of their calls. A host is a server's name without port, a domain the
-- name with the port by which it is called.

create table federation_peers (
  host text primary key,
  domain text not null,
  -- By which calls are limited.
  registrable_domain text not null,
  first_contact bigint not null,
  last_activity bigint not null,
  delivered_total bigint not null default 0,
  -- Null until the server was called.
  certificate_valid boolean,
  status text not null default 'active' check (status in ('active', 'limited'))
) with (fillfactor = 80);

create table federation_peer_days (
  host text not null,
  -- Since 1970.
  day integer not null,
  -- Messages that the peer sent.
  delivered bigint not null default 0,
  rejected bigint not null default 0,
  -- Our calls to the peer.
  calls bigint not null default 0,
  calls_failed bigint not null default 0,
  call_millis bigint not null default 0,
  primary key (host, day)
) with (fillfactor = 80);
create index federation_peer_days_day on federation_peer_days (day);

-- Each reporter counts once against a host.
create table federation_spam_reporters (
  host text not null,
  reporter_hash bytea not null,
  reported_at bigint not null,
  primary key (host, reporter_hash)
);
create index federation_spam_reporters_reported_at on federation_spam_reporters (reported_at);

create table federation_blocks (
  -- A host, or a name above it.
  domain text primary key,
  blocked_at bigint not null,
  reason text not null,
  blocked_by text,
  expires_at bigint,
  reason_category text not null,
  severity text not null
);
create index federation_blocks_expires_at on federation_blocks (expires_at);

create table federation_allowlist (
  domain text primary key,
  added_at bigint not null,
  added_by text
);

-- The lists of blocked servers that peers publish.
create table federation_peer_blocklists (
  publisher text primary key,
  fetched_at bigint not null
);
create table federation_peer_blocklist_entries (
  publisher text not null,
  domain text not null,
  primary key (publisher, domain)
);
create index federation_peer_blocklist_entries_domain on federation_peer_blocklist_entries (domain);

-- Grows with every change of blocks, allowlist or status, so that nodes notice it.
create table federation_policy_version (
  one boolean primary key default true check (one),
  version bigint not null,
  changed_at bigint not null
);
insert into federation_policy_version (version, changed_at) values (0, 0);

create table used_nonces (
  nonce bytea primary key,
  expires_at bigint not null
);
create index used_nonces_expires_at on used_nonces (expires_at);

-- The certificate chains that tokens of peers were given for, so that they can be checked again.
create table federation_session_chains (
  id bytea primary key,
  chain bytea not null,
  expires_at bigint not null
);
create index federation_session_chains_expires_at on federation_session_chains (expires_at);

-- The answers of transactions, so that a repeated one gets the same.
create table federation_transactions (
  origin text not null,
  transaction_id uuid not null,
  digest bytea not null,
  -- Null while the transaction is being processed, by this claim on this node.
  answer jsonb,
  claim uuid not null,
  node text not null,
  expires_at bigint not null,
  primary key (origin, transaction_id)
) with (fillfactor = 70);
create index federation_transactions_expires_at on federation_transactions (expires_at);

-- From which server a message came, under a keyed hash of its id and its recipient's prefix.
create table federation_origins (
  key bytea not null,
  host text not null,
  -- A day since 1970.
  expires_on integer not null,
  primary key (key, host)
);
create index federation_origins_expires_on on federation_origins (expires_on);

-- ------------------------------------------------------------ outbox
-- Messages waiting for other servers: one queue per destination. A message's row reveals nothing about its sender.

-- A row changes with every message and every transaction, its indexed columns only when sending begins or ends there:
-- half of each page is left free, so that no index is touched in between.
create table outbox_destinations (
  domain text primary key,
  last_position bigint not null default 0,
  -- What the queue holds.
  messages bigint not null default 0,
  bytes bigint not null default 0,
  used_at bigint not null,
  reached_at bigint,
  -- Derived, so that it changes once in the life of a destination: an index on reached_at would change with every
  -- delivery.
  unreached boolean not null generated always as (reached_at is null) stored,
  -- Null while there is nothing to send.
  next_attempt_millis bigint,
  failures integer not null default 0,
  failed_at bigint,
  problem text,
  -- Messages of the next transaction; null for the usual number.
  transaction_limit integer,
  -- The node that delivers to this destination.
  lease_node text,
  lease_id uuid,
  lease_until timestamptz
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);
create index outbox_destinations_due on outbox_destinations (unreached, (failures > 0), next_attempt_millis)
  where lease_node is null and next_attempt_millis is not null;
create index outbox_destinations_leased on outbox_destinations (lease_node) where lease_node is not null;

create table outbox (
  domain text not null,
  position bigint not null,
  message_id uuid not null,
  recipient uuid not null,
  ciphertext bytea not null,
  sender_signature text not null,
  sent_at bigint not null,
  system_event jsonb,
  dedup_tag bytea not null,
  accepted_at bigint not null,
  expires_at bigint not null,
  -- The first of several messages with the same ciphertext, which a delivery needs to carry once.
  shared_position bigint,
  primary key (domain, position)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.1,
  toast.autovacuum_vacuum_scale_factor = 0.02,
  toast.autovacuum_vacuum_threshold = 5000,
  toast.autovacuum_vacuum_cost_delay = 0
);
alter table outbox alter column ciphertext set storage external;
create index outbox_expires_at on outbox (expires_at);

-- Recipients whose messages wait.
create table outbox_holds (
  domain text not null,
  recipient uuid not null,
  failures integer not null,
  until_millis bigint not null,
  -- The delayed transaction that the messages wait for.
  transaction_id uuid,
  primary key (domain, recipient)
);

-- The transactions that have no answer yet, any number for a destination.
create table outbox_transactions (
  domain text not null,
  id uuid not null,
  created_at bigint not null,
  positions bigint[] not null,
  -- How the transaction was first sent, so that it is repeated in the same form.
  form jsonb not null,
  -- Of a delayed transaction: when it is sent again.
  due_millis bigint,
  delayed_at bigint,
  problem text,
  answers jsonb,
  primary key (domain, id)
) with (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

-- ------------------------------------------------------------ keypackages
-- Key packages, distributed by device. Fetches are counted in rate_limits under keyed hashes, so no table reveals who
-- took whose packages.

-- Locked by every fetch and upload of the device, which makes the order of packages exact.
create table key_package_accounts (
  device_id text collate "C" primary key,
  last_position bigint not null default 0,
  total_consumed bigint not null default 0,
  last_resort bytea,
  last_resort_expires_at bigint
) with (fillfactor = 50);
create index key_package_accounts_last_resort_expires_at on key_package_accounts (last_resort_expires_at)
  where last_resort is not null;

-- A package that was fetched leaves its digest until it would have expired, so that it is not stored again.
create table key_packages (
  device_id text collate "C" not null,
  -- SHA-256.
  digest bytea not null,
  position bigint not null,
  -- Null once it was fetched.
  key_package bytea,
  expires_at bigint not null,
  primary key (device_id, digest)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
alter table key_packages alter column key_package set storage external;
create index key_packages_available on key_packages (device_id, position) include (expires_at)
  where key_package is not null;
create index key_packages_expires_at on key_packages (expires_at);

-- ------------------------------------------------------------ provisioning
-- Addresses at which a blob waits for a new device. Neither the opener of an address nor the author of the blob is
-- stored.

create table provisioning_addresses (
  id uuid primary key,
  poll_token_hash bytea not null,
  expires_at bigint not null,
  -- The newest poll, which alone gets the blob.
  waiter uuid,
  ciphertext bytea
) with (fillfactor = 85);
alter table provisioning_addresses alter column ciphertext set storage external;
create index provisioning_addresses_expires_at on provisioning_addresses (expires_at);

-- ------------------------------------------------------------ infopackages
-- Info packages of all three kinds, by the segment of their links.

-- A package that is used up keeps its row, without the ciphertext, until it would have expired, so that it can be told
-- from one that never was.
create table info_packages (
  segment text collate "C" primary key,
  kind text not null check (kind in ('sealed', 'revocable', 'plain')),
  ciphertext bytea,
  package_type text,
  created_at bigint not null,
  expires_at bigint not null,
  max_uses integer,
  uses_remaining integer check (uses_remaining >= 0),
  uploader text collate "C",
  revocation_hash bytea,
  -- What was added to the balance for a package without an uploader; 0 for others.
  charged_bytes bigint not null default 0,
  check ((uploader is null) = (kind = 'revocable')),
  check ((revocation_hash is null) = (kind <> 'revocable')),
  check ((max_uses is null) = (uses_remaining is null)),
  check ((ciphertext is null) = (uses_remaining is not distinct from 0))
) with (fillfactor = 90);
alter table info_packages alter column ciphertext set storage external;
create index info_packages_expires_at on info_packages (expires_at);
create index info_packages_uploader on info_packages (uploader) where uploader is not null;
create index info_packages_charged_bytes on info_packages (charged_bytes) where charged_bytes > 0;

-- What packages without an uploader take together, which is bounded. It changes in the statement that adds, uses up or
-- removes one.
create table info_package_balance (
  one boolean primary key default true check (one),
  anonymous_bytes bigint not null
) with (fillfactor = 50);
insert into info_package_balance (anonymous_bytes) values (0);

-- ------------------------------------------------------------ slots
-- Commit slots, by name; the names are random bytes to everyone outside the group.

-- A row stays until the slot may be forgotten. Its content and its signature go before, when they expire.
create table slots (
  slot bytea primary key check (octet_length(slot) = 32),
  content bytea,
  content_sha256 bytea not null,
  -- The public key that signed the receipt: a restored relay has another one.
  slot_key bytea not null,
  signature bytea,
  expires_at bigint not null,
  forget_at bigint not null,
  check ((content is null) = (signature is null))
);
alter table slots alter column content set storage external;
create index slots_expires_at on slots (expires_at) where content is not null;
create index slots_forget_at on slots (forget_at);

-- What the content of all slots takes, which is bounded. It changes in the transaction that adds or removes some.
create table slot_balance (
  one boolean primary key default true check (one),
  content_bytes bigint not null
) with (fillfactor = 50);
insert into slot_balance (content_bytes) values (0);

-- ------------------------------------------------------------ blobs
-- Blobs, by the hashes of their ids. Their bytes are in a folder or in an object store.

create table blobs (
  -- SHA-256 of the id.
  name bytea primary key check (octet_length(name) = 32),
  size bigint not null check (size > 0),
  part_bytes integer not null check (part_bytes > 0),
  -- What an object store calls the upload.
  upload_reference text,
  upload_hash bytea not null,
  delete_hash bytea not null,
  is_complete boolean not null default false,
  -- Its bytes are being removed; the row goes afterwards.
  is_removed boolean not null default false,
  -- Null if downloads are not counted.
  downloads_left integer check (downloads_left >= 0),
  -- How many requests may still upload a part.
  part_requests integer not null check (part_requests >= 0),
  expires_at bigint not null,
  ends_at bigint not null
) with (fillfactor = 80);
create index blobs_ends_at on blobs (ends_at);
create index blobs_incomplete on blobs (size) where not is_complete;
create index blobs_removed on blobs (name) where is_removed;

-- Downloads of blobs that count them, which may be continued for a while.
create table blob_downloads (
  name bytea not null,
  download bytea not null,
  ends_at bigint not null,
  primary key (name, download)
);
create index blob_downloads_ends_at on blob_downloads (ends_at);

-- What all blobs take, which is bounded. It changes in the statement that adds or removes one.
create table blob_balance (
  one boolean primary key default true check (one),
  bytes bigint not null
) with (fillfactor = 50);
insert into blob_balance (bytes) values (0);

-- ------------------------------------------------------------ moderation
-- Spam reports, by reported device. Reporter and message are keyed hashes: enough to see that two reports have the same
-- reporter or message, and nothing more.

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

-- ------------------------------------------------------------ admin
-- Administrators and their sessions.

create table admins (
  device_id text primary key,
  public_key bytea not null,
  permissions text[] not null,
  added_at bigint not null
);

-- Administrators of the configuration that were added once, so that one who was removed does not come back with the
-- next start.
create table admin_seeds (
  device_id text primary key
);

-- A challenge carries its own proof of origin, so only those that were used are kept.
create table admin_used_challenges (
  challenge bytea primary key,
  expires_at bigint not null
);
create index admin_used_challenges_expires_at on admin_used_challenges (expires_at);

-- For the list of sessions. A session is valid by its token, unless it is among the ended ones.
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

-- The links of the command mls-relay console.
create table admin_links (
  code_hash bytea primary key,
  device_id text not null,
  expires_at bigint not null
);

-- ------------------------------------------------------------ audit
-- What administrators did. A trigger keeps the table append-only, even against the server's own role.

create table audit_entries (
  id text primary key,
  timestamp bigint not null,
  action text not null,
  admin text,
  target text,
  details jsonb not null,
  ip_address text,
  user_agent text
);
create index audit_entries_timestamp on audit_entries (timestamp, id);
create index audit_entries_action on audit_entries (action, timestamp, id);
create index audit_entries_admin on audit_entries (admin, timestamp, id);
create index audit_entries_target on audit_entries (target, timestamp, id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit entries are append-only' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_entries_append_only
  before update or delete or truncate on audit_entries
  for each statement execute function refuse_audit_change();

-- ------------------------------------------------------------ metrics
-- What the nodes counted and read, and the last count of what the server holds.

-- Sums for each span of time: it begins at bucket_start and lasts for the resolution, in seconds.
create table metric_rollups (
  metric text not null,
  resolution integer not null,
  bucket_start bigint not null,
  node_id text not null,
  value double precision not null,
  primary key (metric, resolution, bucket_start, node_id)
) with (fillfactor = 70);
create index metric_rollups_age on metric_rollups (resolution, bucket_start);

-- A latency is counted in the bucket that its length falls into, so that the counts of several nodes and spans can be
-- added.
create table metric_histograms (
  metric text not null,
  resolution integer not null,
  bucket_start bigint not null,
  node_id text not null,
  bucket integer not null,
  count bigint not null,
  primary key (metric, resolution, bucket_start, node_id, bucket)
) with (fillfactor = 70);
create index metric_histograms_age on metric_histograms (resolution, bucket_start);

create table metrics_snapshot (
  one boolean primary key default true check (one),
  taken_at bigint not null,
  -- How long the count took.
  millis double precision not null,
  levels jsonb not null
) with (fillfactor = 50);

-- What each node last read of itself.
create unlogged table node_readings (
  node_id text primary key,
  started_at bigint not null,
  read_at bigint not null,
  version text not null,
  figures jsonb not null
) with (fillfactor = 50);

-- ------------------------------------------------------------ health
-- Alerts, and a row by which nodes find out whether the database takes writes.

create table alerts (
  id text primary key,
  condition text not null,
  -- What the condition holds for: a node, a destination, or nothing in particular.
  subject text not null,
  severity text not null check (severity in ('critical', 'warning', 'info')),
  component text not null,
  message text not null,
  started_at bigint not null,
  details jsonb not null,
  cleared_at bigint
);
create unique index alerts_active on alerts (condition, subject) where cleared_at is null;
create index alerts_cleared_at on alerts (cleared_at);

-- Alerts that are still to be sent to the operator.
create table alert_pushes (
  alert_id text not null,
  event text not null,
  channel text not null,
  created_at bigint not null,
  attempts integer not null default 0,
  next_attempt_at bigint not null,
  primary key (alert_id, event, channel)
);

create table write_probe (
  -- As long as what the database must have room for.
  filler text not null,
  -- So that a node need not write what another one has written a moment ago.
  written_at timestamptz not null default clock_timestamp()
);

-- ------------------------------------------------------------ backup
-- The backups that were made, and the result of the last one.

create table backup_state (
  one boolean primary key default true check (one),
  -- Without a backup, its age counts from here.
  watched_since bigint not null,
  -- Of the last backup that succeeded.
  started_at bigint,
  finished_at bigint,
  bytes bigint,
  -- Why a later one failed.
  problem text,
  -- When an administrator asked for one that was not begun yet.
  requested_at bigint,
  running_since bigint
) with (fillfactor = 50);

create table backups (
  id bigint generated always as identity primary key,
  started_at bigint not null,
  finished_at bigint not null,
  origin text not null check (origin in ('schedule', 'administrator', 'command')),
  file text not null,
  bytes bigint,
  problem text
);
