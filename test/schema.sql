-- The migrated database, read from its catalogue. Made by `tsx scripts/dump-schema.ts`. Do not edit.

create sequence backups_id_seq as bigint increment 1 start 1 cache 1;

create sequence knex_migrations_id_seq as integer increment 1 start 1 cache 1;

create sequence knex_migrations_lock_index_seq as integer increment 1 start 1 cache 1;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'audit entries are append-only' using errcode = 'insufficient_privilege';
end
$function$;

create table addresses (
  prefix uuid not null,
  device_id text collate "C" not null,
  spelling text not null,
  server_url text not null,
  created_at bigint not null,
  announced_at bigint not null,
  expires_at bigint not null,
  constraint addresses_pkey PRIMARY KEY (prefix),
  constraint addresses_spelling_check CHECK (spelling = ANY (ARRAY['uuid'::text, 'hex'::text]))
) with (fillfactor=85);
CREATE INDEX addresses_device_id ON public.addresses USING btree (device_id);

create table admin_links (
  code_hash bytea not null,
  device_id text not null,
  expires_at bigint not null,
  constraint admin_links_pkey PRIMARY KEY (code_hash)
);

create table admin_seeds (
  device_id text not null,
  constraint admin_seeds_pkey PRIMARY KEY (device_id)
);

create table admin_sessions (
  session_id text not null,
  device_id text not null,
  method text not null,
  began_at bigint not null,
  renewed_at bigint not null,
  expires_at bigint not null,
  ip_address text not null,
  user_agent text,
  constraint admin_sessions_pkey PRIMARY KEY (session_id),
  constraint admin_sessions_method_check CHECK (method = ANY (ARRAY['key'::text, 'link'::text]))
);
CREATE INDEX admin_sessions_device_id ON public.admin_sessions USING btree (device_id);
CREATE INDEX admin_sessions_expires_at ON public.admin_sessions USING btree (expires_at);

create table admin_used_challenges (
  challenge bytea not null,
  expires_at bigint not null,
  constraint admin_used_challenges_pkey PRIMARY KEY (challenge)
);
CREATE INDEX admin_used_challenges_expires_at ON public.admin_used_challenges USING btree (expires_at);

create table admins (
  device_id text not null,
  public_key bytea not null,
  permissions text[] not null,
  added_at bigint not null,
  constraint admins_pkey PRIMARY KEY (device_id)
);

create table alert_pushes (
  alert_id text not null,
  event text not null,
  channel text not null,
  created_at bigint not null,
  attempts integer not null default 0,
  next_attempt_at bigint not null,
  constraint alert_pushes_pkey PRIMARY KEY (alert_id, event, channel)
);

create table alerts (
  id text not null,
  condition text not null,
  subject text not null,
  severity text not null,
  component text not null,
  message text not null,
  started_at bigint not null,
  details jsonb not null,
  cleared_at bigint,
  constraint alerts_pkey PRIMARY KEY (id),
  constraint alerts_severity_check CHECK (severity = ANY (ARRAY['critical'::text, 'warning'::text, 'info'::text]))
);
CREATE INDEX alerts_cleared_at ON public.alerts USING btree (cleared_at);
CREATE UNIQUE INDEX alerts_active ON public.alerts USING btree (condition, subject) WHERE (cleared_at IS NULL);

create table audit_entries (
  id text not null,
  timestamp bigint not null,
  action text not null,
  admin text,
  target text,
  details jsonb not null,
  ip_address text,
  user_agent text,
  constraint audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_action ON public.audit_entries USING btree (action, "timestamp", id);
CREATE INDEX audit_entries_admin ON public.audit_entries USING btree (admin, "timestamp", id);
CREATE INDEX audit_entries_target ON public.audit_entries USING btree (target, "timestamp", id);
CREATE INDEX audit_entries_timestamp ON public.audit_entries USING btree ("timestamp", id);
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

create table backup_state (
  one boolean not null default true,
  watched_since bigint not null,
  started_at bigint,
  finished_at bigint,
  bytes bigint,
  problem text,
  requested_at bigint,
  running_since bigint,
  constraint backup_state_pkey PRIMARY KEY (one),
  constraint backup_state_one_check CHECK (one)
) with (fillfactor=50);

create table backups (
  id bigint not null generated always as identity,
  started_at bigint not null,
  finished_at bigint not null,
  origin text not null,
  file text not null,
  bytes bigint,
  problem text,
  constraint backups_pkey PRIMARY KEY (id),
  constraint backups_origin_check CHECK (origin = ANY (ARRAY['schedule'::text, 'administrator'::text, 'command'::text]))
);

create table blob_balance (
  one boolean not null default true,
  bytes bigint not null,
  constraint blob_balance_pkey PRIMARY KEY (one),
  constraint blob_balance_one_check CHECK (one)
) with (fillfactor=50);

create table blob_downloads (
  name bytea not null,
  download bytea not null,
  ends_at bigint not null,
  constraint blob_downloads_pkey PRIMARY KEY (name, download)
);
CREATE INDEX blob_downloads_ends_at ON public.blob_downloads USING btree (ends_at);

create table blobs (
  name bytea not null,
  size bigint not null,
  part_bytes integer not null,
  upload_reference text,
  upload_hash bytea not null,
  delete_hash bytea not null,
  is_complete boolean not null default false,
  is_removed boolean not null default false,
  downloads_left integer,
  part_requests integer not null,
  expires_at bigint not null,
  ends_at bigint not null,
  constraint blobs_pkey PRIMARY KEY (name),
  constraint blobs_downloads_left_check CHECK (downloads_left >= 0),
  constraint blobs_name_check CHECK (octet_length(name) = 32),
  constraint blobs_part_bytes_check CHECK (part_bytes > 0),
  constraint blobs_part_requests_check CHECK (part_requests >= 0),
  constraint blobs_size_check CHECK (size > 0)
) with (fillfactor=80);
CREATE INDEX blobs_ends_at ON public.blobs USING btree (ends_at);
CREATE INDEX blobs_incomplete ON public.blobs USING btree (size) WHERE (NOT is_complete);
CREATE INDEX blobs_removed ON public.blobs USING btree (name) WHERE is_removed;

create table block_tombstones (
  device_hash bytea not null,
  blocked_at bigint,
  banned_until bigint,
  marked_at bigint not null,
  constraint block_tombstones_pkey PRIMARY KEY (device_hash)
);
CREATE INDEX block_tombstones_banned_until ON public.block_tombstones USING btree (banned_until) WHERE (blocked_at IS NULL);

create table daily_keys (
  day integer not null,
  sealed bytea not null,
  constraint daily_keys_pkey PRIMARY KEY (day)
);

create table device_federation (
  device_id text collate "C" not null,
  domain text not null,
  sent bigint not null default 0,
  received bigint not null default 0,
  last_day integer not null,
  constraint device_federation_pkey PRIMARY KEY (device_id, domain)
) with (fillfactor=80);
CREATE INDEX device_federation_last_day ON public.device_federation USING btree (last_day);

create table devices (
  device_id text collate "C" not null,
  public_key bytea not null,
  registered_at bigint not null,
  last_active bigint not null,
  admin_verified boolean not null default false,
  verified_at bigint,
  verified_by text,
  blocked_at bigint,
  banned_until bigint,
  custom_limit integer,
  custom_limit_set_at bigint,
  custom_limit_set_by text,
  custom_limit_expires_at bigint,
  spam_reports integer not null default 0,
  spam_reports_by_device integer not null default 0,
  max_retention_days integer,
  offline_message_limit integer,
  hide_presence boolean not null default false,
  constraint devices_pkey PRIMARY KEY (device_id)
) with (fillfactor=85);
CREATE INDEX devices_blocked_at ON public.devices USING btree (blocked_at) WHERE (blocked_at IS NOT NULL);
CREATE INDEX devices_last_active ON public.devices USING btree (last_active);
CREATE INDEX devices_registered_at ON public.devices USING btree (registered_at);

create table federation_allowlist (
  domain text not null,
  added_at bigint not null,
  added_by text,
  constraint federation_allowlist_pkey PRIMARY KEY (domain)
);

create table federation_blocks (
  domain text not null,
  blocked_at bigint not null,
  reason text not null,
  blocked_by text,
  expires_at bigint,
  reason_category text not null,
  severity text not null,
  constraint federation_blocks_pkey PRIMARY KEY (domain)
);
CREATE INDEX federation_blocks_expires_at ON public.federation_blocks USING btree (expires_at);

create table federation_origins (
  key bytea not null,
  host text not null,
  expires_on integer not null,
  constraint federation_origins_pkey PRIMARY KEY (key, host)
);
CREATE INDEX federation_origins_expires_on ON public.federation_origins USING btree (expires_on);

create table federation_peer_blocklist_entries (
  publisher text not null,
  domain text not null,
  constraint federation_peer_blocklist_entries_pkey PRIMARY KEY (publisher, domain)
);
CREATE INDEX federation_peer_blocklist_entries_domain ON public.federation_peer_blocklist_entries USING btree (domain);

create table federation_peer_blocklists (
  publisher text not null,
  fetched_at bigint not null,
  constraint federation_peer_blocklists_pkey PRIMARY KEY (publisher)
);

create table federation_peer_days (
  host text not null,
  day integer not null,
  delivered bigint not null default 0,
  rejected bigint not null default 0,
  calls bigint not null default 0,
  calls_failed bigint not null default 0,
  call_millis bigint not null default 0,
  constraint federation_peer_days_pkey PRIMARY KEY (host, day)
) with (fillfactor=80);
CREATE INDEX federation_peer_days_day ON public.federation_peer_days USING btree (day);

create table federation_peers (
  host text not null,
  domain text not null,
  registrable_domain text not null,
  first_contact bigint not null,
  last_activity bigint not null,
  delivered_total bigint not null default 0,
  certificate_valid boolean,
  status text not null default 'active'::text,
  constraint federation_peers_pkey PRIMARY KEY (host),
  constraint federation_peers_status_check CHECK (status = ANY (ARRAY['active'::text, 'limited'::text]))
) with (fillfactor=80);

create table federation_policy_version (
  one boolean not null default true,
  version bigint not null,
  changed_at bigint not null,
  constraint federation_policy_version_pkey PRIMARY KEY (one),
  constraint federation_policy_version_one_check CHECK (one)
);

create table federation_session_chains (
  id bytea not null,
  chain bytea not null,
  expires_at bigint not null,
  constraint federation_session_chains_pkey PRIMARY KEY (id)
);
CREATE INDEX federation_session_chains_expires_at ON public.federation_session_chains USING btree (expires_at);

create table federation_spam_reporters (
  host text not null,
  reporter_hash bytea not null,
  reported_at bigint not null,
  constraint federation_spam_reporters_pkey PRIMARY KEY (host, reporter_hash)
);
CREATE INDEX federation_spam_reporters_reported_at ON public.federation_spam_reporters USING btree (reported_at);

create table federation_transactions (
  origin text not null,
  transaction_id uuid not null,
  digest bytea not null,
  answer jsonb,
  claim uuid not null,
  node text not null,
  expires_at bigint not null,
  constraint federation_transactions_pkey PRIMARY KEY (origin, transaction_id)
) with (fillfactor=70);
CREATE INDEX federation_transactions_expires_at ON public.federation_transactions USING btree (expires_at);

create table info_package_balance (
  one boolean not null default true,
  anonymous_bytes bigint not null,
  constraint info_package_balance_pkey PRIMARY KEY (one),
  constraint info_package_balance_one_check CHECK (one)
) with (fillfactor=50);

create table info_package_downloads (
  segment text collate "C" not null,
  download bytea not null,
  ends_at bigint not null,
  constraint info_package_downloads_pkey PRIMARY KEY (segment, download)
);
CREATE INDEX info_package_downloads_ends_at ON public.info_package_downloads USING btree (ends_at);

create table info_packages (
  segment text collate "C" not null,
  kind text not null,
  ciphertext bytea storage external,
  package_type text,
  created_at bigint not null,
  expires_at bigint not null,
  max_uses integer,
  uses_remaining integer,
  uploader text collate "C",
  revocation_hash bytea,
  charged_bytes bigint not null default 0,
  kept_until bigint,
  constraint info_packages_pkey PRIMARY KEY (segment),
  constraint info_packages_check CHECK ((uploader IS NULL) = (kind = 'revocable'::text)),
  constraint info_packages_check1 CHECK ((revocation_hash IS NULL) = (kind <> 'revocable'::text)),
  constraint info_packages_check2 CHECK ((max_uses IS NULL) = (uses_remaining IS NULL)),
  constraint info_packages_kind_check CHECK (kind = ANY (ARRAY['sealed'::text, 'revocable'::text, 'plain'::text])),
  constraint info_packages_used_up CHECK ((ciphertext IS NULL OR kept_until IS NOT NULL) = (NOT uses_remaining IS DISTINCT FROM 0)),
  constraint info_packages_uses_remaining_check CHECK (uses_remaining >= 0)
) with (fillfactor=90);
CREATE INDEX info_packages_charged_bytes ON public.info_packages USING btree (charged_bytes) WHERE (charged_bytes > 0);
CREATE INDEX info_packages_expires_at ON public.info_packages USING btree (expires_at);
CREATE INDEX info_packages_kept_until ON public.info_packages USING btree (kept_until) WHERE (kept_until IS NOT NULL);
CREATE INDEX info_packages_uploader ON public.info_packages USING btree (uploader) WHERE (uploader IS NOT NULL);

create table invite_uses (
  issuer text not null,
  jti text not null,
  uses integer not null,
  expires_at bigint not null,
  constraint invite_uses_pkey PRIMARY KEY (issuer, jti)
);
CREATE INDEX invite_uses_expires_at ON public.invite_uses USING btree (expires_at);

create table invites (
  jti text not null,
  domain text not null,
  handle_hash bytea,
  max_uses integer not null,
  expires_at bigint not null,
  revoked_at bigint,
  created_by text not null,
  created_at bigint not null,
  constraint invites_pkey PRIMARY KEY (jti)
);
CREATE INDEX invites_created_at ON public.invites USING btree (created_at, jti);
CREATE INDEX invites_expires_at ON public.invites USING btree (expires_at);
CREATE UNIQUE INDEX invites_handle_hash ON public.invites USING btree (handle_hash) WHERE (handle_hash IS NOT NULL);

create table ip_bans (
  ip_hash text not null,
  banned_until bigint not null,
  constraint ip_bans_pkey PRIMARY KEY (ip_hash)
);
CREATE INDEX ip_bans_banned_until ON public.ip_bans USING btree (banned_until);

create table job_runs (
  name text not null,
  ran_at_millis bigint not null,
  constraint job_runs_pkey PRIMARY KEY (name)
) with (fillfactor=50);

create table key_package_accounts (
  device_id text collate "C" not null,
  last_position bigint not null default 0,
  total_consumed bigint not null default 0,
  last_resort bytea,
  last_resort_expires_at bigint,
  constraint key_package_accounts_pkey PRIMARY KEY (device_id)
) with (fillfactor=50);
CREATE INDEX key_package_accounts_last_resort_expires_at ON public.key_package_accounts USING btree (last_resort_expires_at) WHERE (last_resort IS NOT NULL);

create table key_package_claims (
  claim bytea not null,
  sealed bytea,
  expires_at bigint not null,
  constraint key_package_claims_pkey PRIMARY KEY (claim),
  constraint key_package_claims_claim_check CHECK (octet_length(claim) = 32)
);
CREATE INDEX key_package_claims_expires_at ON public.key_package_claims USING btree (expires_at);

create table key_packages (
  device_id text collate "C" not null,
  digest bytea not null,
  position bigint not null,
  key_package bytea storage external,
  expires_at bigint not null,
  prefix uuid,
  last_resort boolean not null default false,
  constraint key_packages_pkey PRIMARY KEY (device_id, digest)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);
CREATE INDEX key_packages_available ON public.key_packages USING btree (device_id, "position") INCLUDE (expires_at) WHERE (key_package IS NOT NULL);
CREATE INDEX key_packages_expires_at ON public.key_packages USING btree (expires_at);

create table knex_migrations (
  id integer not null default nextval('knex_migrations_id_seq'::regclass),
  name character varying(255),
  batch integer,
  migration_time timestamp with time zone,
  constraint knex_migrations_pkey PRIMARY KEY (id)
);

create table knex_migrations_lock (
  index integer not null default nextval('knex_migrations_lock_index_seq'::regclass),
  is_locked integer,
  constraint knex_migrations_lock_pkey PRIMARY KEY (index)
);

create table message_key_days (
  day integer not null,
  kept_until integer not null,
  constraint message_key_days_pkey PRIMARY KEY (day)
);

create table message_keys (
  key uuid not null,
  constraint message_keys_pkey PRIMARY KEY (key)
) partition by RANGE (key);

create table message_keys_default (
  key uuid not null,
  constraint message_keys_default_pkey PRIMARY KEY (key)
) partition of message_keys DEFAULT;

create table message_keys_with_expiry (
  key uuid not null,
  expires_on integer not null,
  constraint message_keys_with_expiry_pkey PRIMARY KEY (key)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX message_keys_with_expiry_expires_on ON public.message_keys_with_expiry USING btree (expires_on);

create table messages (
  device_id text collate "C" not null,
  position bigint not null,
  message_id uuid not null,
  ciphertext bytea storage external not null,
  sender_signature text not null,
  sent_at bigint not null,
  received_at bigint not null,
  expires_at bigint not null,
  system_event jsonb,
  delivered_out_of_order boolean not null default false,
  constraint messages_pkey PRIMARY KEY (device_id, "position")
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.1, toast.autovacuum_vacuum_scale_factor=0.02, toast.autovacuum_vacuum_threshold=5000, toast.autovacuum_vacuum_cost_delay=0);
CREATE INDEX messages_expires_at ON public.messages USING btree (expires_at);
CREATE INDEX messages_message_id ON public.messages USING btree (message_id, "left"(device_id, 8));

create table metric_histograms (
  metric text not null,
  resolution integer not null,
  bucket_start bigint not null,
  node_id text not null,
  bucket integer not null,
  count bigint not null,
  constraint metric_histograms_pkey PRIMARY KEY (metric, resolution, bucket_start, node_id, bucket)
) with (fillfactor=70);
CREATE INDEX metric_histograms_age ON public.metric_histograms USING btree (resolution, bucket_start);

create table metric_rollups (
  metric text not null,
  resolution integer not null,
  bucket_start bigint not null,
  node_id text not null,
  value double precision not null,
  constraint metric_rollups_pkey PRIMARY KEY (metric, resolution, bucket_start, node_id)
) with (fillfactor=70);
CREATE INDEX metric_rollups_age ON public.metric_rollups USING btree (resolution, bucket_start);

create table metrics_snapshot (
  one boolean not null default true,
  taken_at bigint not null,
  millis double precision not null,
  levels jsonb not null,
  constraint metrics_snapshot_pkey PRIMARY KEY (one),
  constraint metrics_snapshot_one_check CHECK (one)
) with (fillfactor=50);

create unlogged table node_readings (
  node_id text not null,
  started_at bigint not null,
  read_at bigint not null,
  version text not null,
  figures jsonb not null,
  constraint node_readings_pkey PRIMARY KEY (node_id)
) with (fillfactor=50);

create unlogged table nodes (
  node_id text not null,
  started_at bigint not null,
  heartbeat_at timestamp with time zone not null,
  listens_at text not null,
  leader_pid integer,
  constraint nodes_pkey PRIMARY KEY (node_id)
);

create table outbox (
  domain text not null,
  position bigint not null,
  message_id uuid not null,
  recipient uuid not null,
  ciphertext bytea storage external not null,
  sender_signature text not null,
  sent_at bigint not null,
  system_event jsonb,
  dedup_tag bytea not null,
  accepted_at bigint not null,
  expires_at bigint not null,
  shared_position bigint,
  has_lifetime boolean not null default false,
  constraint outbox_pkey PRIMARY KEY (domain, "position")
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.1, toast.autovacuum_vacuum_scale_factor=0.02, toast.autovacuum_vacuum_threshold=5000, toast.autovacuum_vacuum_cost_delay=0);
CREATE INDEX outbox_expires_at ON public.outbox USING btree (expires_at);

create table outbox_destinations (
  domain text not null,
  last_position bigint not null default 0,
  messages bigint not null default 0,
  bytes bigint not null default 0,
  used_at bigint not null,
  reached_at bigint,
  unreached boolean not null generated always as ((reached_at IS NULL)) stored,
  next_attempt_millis bigint,
  failures integer not null default 0,
  failed_at bigint,
  problem text,
  transaction_limit integer,
  lease_node text,
  lease_id uuid,
  lease_until timestamp with time zone,
  constraint outbox_destinations_pkey PRIMARY KEY (domain)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX outbox_destinations_due ON public.outbox_destinations USING btree (unreached, ((failures > 0)), next_attempt_millis) WHERE ((lease_node IS NULL) AND (next_attempt_millis IS NOT NULL));
CREATE INDEX outbox_destinations_leased ON public.outbox_destinations USING btree (lease_node) WHERE (lease_node IS NOT NULL);

create table outbox_holds (
  domain text not null,
  recipient uuid not null,
  failures integer not null,
  until_millis bigint not null,
  transaction_id uuid,
  constraint outbox_holds_pkey PRIMARY KEY (domain, recipient)
);

create table outbox_transactions (
  domain text not null,
  id uuid not null,
  created_at bigint not null,
  positions bigint[] not null,
  form jsonb not null,
  due_millis bigint,
  delayed_at bigint,
  problem text,
  answers jsonb,
  constraint outbox_transactions_pkey PRIMARY KEY (domain, id)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);

create table provisioning_addresses (
  id uuid not null,
  poll_token_hash bytea not null,
  expires_at bigint not null,
  waiter uuid,
  ciphertext bytea storage external,
  delivered_to bytea,
  code text collate "C",
  qr text,
  constraint provisioning_addresses_pkey PRIMARY KEY (id),
  constraint provisioning_addresses_check CHECK ((code IS NULL) = (qr IS NULL)),
  constraint provisioning_addresses_code_key UNIQUE (code)
) with (fillfactor=85);
CREATE INDEX provisioning_addresses_expires_at ON public.provisioning_addresses USING btree (expires_at);

create table push_services (
  service bytea not null,
  failures integer not null,
  failed_at bigint not null,
  paused_until bigint not null,
  constraint push_services_pkey PRIMARY KEY (service)
) with (fillfactor=70);

create table push_subscriptions (
  device_id text collate "C" not null,
  sealed bytea not null,
  service bytea not null,
  key_id text not null,
  urgency text not null,
  created_at bigint not null,
  expires_at bigint,
  code_hash bytea not null,
  code_expires_at bigint not null,
  confirmed boolean not null default false,
  due_at_millis bigint,
  due_since_millis bigint,
  due_urgency text,
  attempts integer not null default 0,
  lease uuid,
  leased_until_millis bigint not null default 0,
  pushed_at bigint,
  pushed_position bigint not null default 0,
  pushed_cursor bigint not null default 0,
  low_pushed_at bigint,
  unanswered integer not null default 0,
  constraint push_subscriptions_pkey PRIMARY KEY (device_id),
  constraint push_subscriptions_due_urgency_check CHECK (due_urgency = ANY (ARRAY['high'::text, 'low'::text])),
  constraint push_subscriptions_urgency_check CHECK (urgency = ANY (ARRAY['high'::text, 'low'::text]))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);
CREATE INDEX push_subscriptions_due_at_millis ON public.push_subscriptions USING btree (due_at_millis) WHERE (due_at_millis IS NOT NULL);
CREATE INDEX push_subscriptions_expires_at ON public.push_subscriptions USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX push_subscriptions_service ON public.push_subscriptions USING btree (service) WHERE (due_at_millis IS NOT NULL);

create table queues (
  device_id text collate "C" not null,
  messages_received bigint not null default 0,
  last_position bigint not null default 0,
  last_received_at bigint not null default 0,
  queued_messages integer not null default 0,
  queued_bytes bigint not null default 0,
  delivery_cursor bigint not null default 0,
  stream_node text,
  stream_id text,
  constraint queues_pkey PRIMARY KEY (device_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);

create unlogged table rate_limits (
  key bytea not null,
  count bigint not null,
  expires_at bigint not null,
  constraint rate_limits_pkey PRIMARY KEY (key)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX rate_limits_expires_at ON public.rate_limits USING btree (expires_at);

create unlogged table recent_federation_sends (
  device_id text collate "C" not null,
  domain text not null,
  sent bigint not null,
  last_day integer not null,
  constraint recent_federation_sends_pkey PRIMARY KEY (device_id, domain)
) with (fillfactor=80);

create table registration_challenges (
  challenge bytea not null,
  public_key bytea not null,
  iterations bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  constraint registration_challenges_pkey PRIMARY KEY (challenge)
);
CREATE INDEX registration_challenges_expires_at ON public.registration_challenges USING btree (expires_at);

create table revoked_sessions (
  sid text not null,
  revoked_at bigint not null,
  expires_at bigint not null,
  constraint revoked_sessions_pkey PRIMARY KEY (sid)
);
CREATE INDEX revoked_sessions_expires_at ON public.revoked_sessions USING btree (expires_at);
CREATE INDEX revoked_sessions_revoked_at ON public.revoked_sessions USING btree (revoked_at);

create table secrets (
  name text not null,
  sealed bytea not null,
  created_at bigint not null,
  constraint secrets_pkey PRIMARY KEY (name)
);

create unlogged table sending_windows (
  device_id text collate "C" not null,
  started_at bigint not null default 0,
  count bigint not null default 0,
  window_limit integer not null default 0,
  carry integer not null default 0,
  granted bigint not null default 0,
  misses_started_at bigint not null default 0,
  misses_count bigint not null default 0,
  misses_granted bigint not null default 0,
  sent bigint not null default 0,
  constraint sending_windows_pkey PRIMARY KEY (device_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);

create table sent_totals (
  device_id text collate "C" not null,
  sent bigint not null,
  constraint sent_totals_pkey PRIMARY KEY (device_id)
) with (fillfactor=80);

create table server_name (
  one boolean not null default true,
  domain text not null,
  base_url text not null,
  constraint server_name_pkey PRIMARY KEY (one),
  constraint server_name_one_check CHECK (one)
);

create table session_cutoffs (
  subject text not null,
  keep_sid text,
  cutoff bigint not null,
  expires_at bigint not null,
  constraint session_cutoffs_pkey PRIMARY KEY (subject)
);
CREATE INDEX session_cutoffs_cutoff ON public.session_cutoffs USING btree (cutoff);
CREATE INDEX session_cutoffs_expires_at ON public.session_cutoffs USING btree (expires_at);

create table settings (
  key text not null,
  value jsonb not null,
  updated_at bigint not null,
  updated_by text,
  constraint settings_pkey PRIMARY KEY (key)
);

create table settings_version (
  one boolean not null default true,
  version bigint not null,
  constraint settings_version_pkey PRIMARY KEY (one),
  constraint settings_version_one_check CHECK (one)
);

create table signing_keys (
  kid text not null,
  public_key bytea not null,
  sealed_private bytea not null,
  created_at bigint not null,
  retired_at bigint,
  revoked_at bigint,
  constraint signing_keys_pkey PRIMARY KEY (kid)
);

create table slot_balance (
  one boolean not null default true,
  content_bytes bigint not null,
  constraint slot_balance_pkey PRIMARY KEY (one),
  constraint slot_balance_one_check CHECK (one)
) with (fillfactor=50);

create table slot_key_database (
  one boolean not null default true,
  cluster text not null,
  timeline text not null,
  synchronous boolean not null,
  constraint slot_key_database_pkey PRIMARY KEY (one),
  constraint slot_key_database_one_check CHECK (one)
);

create table slots (
  slot bytea not null,
  content bytea storage external,
  content_sha256 bytea not null,
  slot_key bytea not null,
  signature bytea,
  expires_at bigint not null,
  forget_at bigint not null,
  taker_key bytea,
  taker_signature bytea,
  constraint slots_pkey PRIMARY KEY (slot),
  constraint slots_check CHECK ((content IS NULL) = (signature IS NULL)),
  constraint slots_check1 CHECK ((taker_key IS NULL) = (taker_signature IS NULL)),
  constraint slots_slot_check CHECK (octet_length(slot) = 32)
);
CREATE INDEX slots_expires_at ON public.slots USING btree (expires_at) WHERE (content IS NOT NULL);
CREATE INDEX slots_forget_at ON public.slots USING btree (forget_at);

create table spam_reports (
  reported text collate "C" not null,
  report_key bytea not null,
  report_id uuid not null,
  reporter bytea not null,
  reporter_tier text not null,
  status text not null,
  reason text not null,
  details text,
  reported_at bigint not null,
  peer bytea,
  constraint spam_reports_pkey PRIMARY KEY (reported, report_key),
  constraint spam_reports_status_check CHECK (status = ANY (ARRAY['verified'::text, 'unverified'::text, 'federated'::text, 'pardoned'::text]))
);
CREATE INDEX spam_reports_reported_at ON public.spam_reports USING btree (reported_at) WHERE (status <> 'verified'::text);
CREATE INDEX spam_reports_reporter ON public.spam_reports USING btree (reporter, reported_at);

create table used_nonces (
  nonce bytea not null,
  expires_at bigint not null,
  constraint used_nonces_pkey PRIMARY KEY (nonce)
);
CREATE INDEX used_nonces_expires_at ON public.used_nonces USING btree (expires_at);

create table used_signatures (
  hash bytea not null,
  expires_at bigint not null,
  constraint used_signatures_pkey PRIMARY KEY (hash)
) with (fillfactor=85);
CREATE INDEX used_signatures_expires_at ON public.used_signatures USING btree (expires_at);

create table write_probe (
  filler text not null,
  written_at timestamp with time zone not null default clock_timestamp()
);
