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

create table admin_allowances (
  device_id text not null,
  kind text not null,
  window_started_at bigint not null,
  count integer not null,
  constraint admin_allowances_pkey PRIMARY KEY (device_id, kind)
) with (fillfactor=80);

create table admin_seeds (
  device_id text not null,
  constraint admin_seeds_pkey PRIMARY KEY (device_id)
);

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

create table census (
  one boolean not null default true,
  taken_at bigint not null,
  millis double precision not null,
  levels jsonb not null,
  constraint census_pkey PRIMARY KEY (one),
  constraint census_one_check CHECK (one)
) with (fillfactor=50);

create table daily_keys (
  day integer not null,
  sealed bytea not null,
  constraint daily_keys_pkey PRIMARY KEY (day)
);

create table deduplication (
  key bytea not null,
  expires_on integer not null,
  constraint deduplication_pkey PRIMARY KEY (key)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX deduplication_expires_on ON public.deduplication USING btree (expires_on);

create table device_federation (
  device_id text not null,
  domain text not null,
  sent bigint not null default 0,
  received bigint not null default 0,
  last_day integer not null,
  constraint device_federation_pkey PRIMARY KEY (device_id, domain)
) with (fillfactor=80);
CREATE INDEX device_federation_last_day ON public.device_federation USING btree (last_day);

create table device_marks (
  device_hash bytea not null,
  blocked_at bigint,
  banned_until bigint,
  marked_at bigint not null,
  constraint device_marks_pkey PRIMARY KEY (device_hash)
);
CREATE INDEX device_marks_banned_until ON public.device_marks USING btree (banned_until) WHERE (blocked_at IS NULL);

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
  announcements_since bigint not null default 0,
  announcements integer not null default 0,
  new_addresses_since bigint not null default 0,
  new_addresses integer not null default 0,
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

create table federation_listings (
  publisher text not null,
  domain text not null,
  constraint federation_listings_pkey PRIMARY KEY (publisher, domain)
);
CREATE INDEX federation_listings_domain ON public.federation_listings USING btree (domain);

create table federation_lists (
  publisher text not null,
  fetched_at bigint not null,
  constraint federation_lists_pkey PRIMARY KEY (publisher)
);

create table federation_origins (
  key bytea not null,
  host text not null,
  expires_on integer not null,
  constraint federation_origins_pkey PRIMARY KEY (key, host)
);
CREATE INDEX federation_origins_expires_on ON public.federation_origins USING btree (expires_on);

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
  registrable text not null,
  first_contact bigint not null,
  last_activity bigint not null,
  delivered_total bigint not null default 0,
  certificate_valid boolean,
  status text not null default 'active'::text,
  constraint federation_peers_pkey PRIMARY KEY (host),
  constraint federation_peers_status_check CHECK (status = ANY (ARRAY['active'::text, 'limited'::text]))
) with (fillfactor=80);

create table federation_spam (
  host text not null,
  reporter_hash bytea not null,
  reported_at bigint not null,
  constraint federation_spam_pkey PRIMARY KEY (host, reporter_hash)
);
CREATE INDEX federation_spam_reported_at ON public.federation_spam USING btree (reported_at);

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

create table federation_version (
  one boolean not null default true,
  version bigint not null,
  changed_at bigint not null,
  constraint federation_version_pkey PRIMARY KEY (one),
  constraint federation_version_one_check CHECK (one)
);

create table federation_windows (
  registrable text not null,
  window_started_at bigint not null,
  messages integer not null,
  transactions integer not null,
  constraint federation_windows_pkey PRIMARY KEY (registrable)
) with (fillfactor=50);
CREATE INDEX federation_windows_age ON public.federation_windows USING btree (window_started_at);

create table info_package_uploads (
  device_id text collate "C" not null,
  hour_started_at bigint not null,
  hour_count integer not null,
  day_started_at bigint not null,
  day_count integer not null,
  constraint info_package_uploads_pkey PRIMARY KEY (device_id)
) with (fillfactor=70);
CREATE INDEX info_package_uploads_day_started_at ON public.info_package_uploads USING btree (day_started_at);

create table info_packages (
  segment text collate "C" not null,
  kind text not null,
  ciphertext bytea,
  package_type text,
  created_at bigint not null,
  expires_at bigint not null,
  max_uses integer,
  uses_remaining integer,
  uploader text collate "C",
  revocation_hash bytea,
  constraint info_packages_pkey PRIMARY KEY (segment),
  constraint info_packages_check CHECK ((uploader IS NULL) = (kind = 'revocable'::text)),
  constraint info_packages_check1 CHECK ((revocation_hash IS NULL) = (kind <> 'revocable'::text)),
  constraint info_packages_check2 CHECK ((max_uses IS NULL) = (uses_remaining IS NULL)),
  constraint info_packages_check3 CHECK ((ciphertext IS NULL) = (NOT uses_remaining IS DISTINCT FROM 0)),
  constraint info_packages_kind_check CHECK (kind = ANY (ARRAY['sealed'::text, 'revocable'::text, 'plain'::text])),
  constraint info_packages_uses_remaining_check CHECK (uses_remaining >= 0)
) with (fillfactor=90);
CREATE INDEX info_packages_expires_at ON public.info_packages USING btree (expires_at);
CREATE INDEX info_packages_uploader ON public.info_packages USING btree (uploader) WHERE (uploader IS NOT NULL);
alter table info_packages alter column ciphertext set storage external;

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
  max_uses integer not null,
  expires_at bigint not null,
  revoked_at bigint,
  created_by text not null,
  created_at bigint not null,
  domain text not null,
  constraint invites_pkey PRIMARY KEY (jti)
);
CREATE INDEX invites_created_at ON public.invites USING btree (created_at, jti);
CREATE INDEX invites_expires_at ON public.invites USING btree (expires_at);

create table ip_bans (
  ip_hash text not null,
  until bigint not null,
  constraint ip_bans_pkey PRIMARY KEY (ip_hash)
);
CREATE INDEX ip_bans_until ON public.ip_bans USING btree (until);

create table ip_windows (
  ip_hash text not null,
  kind text not null,
  window_started_at bigint not null,
  count integer not null,
  expires_at bigint not null,
  constraint ip_windows_pkey PRIMARY KEY (ip_hash, kind)
) with (fillfactor=80);
CREATE INDEX ip_windows_expires_at ON public.ip_windows USING btree (expires_at);

create table key_package_accounts (
  device_id text not null,
  last_position bigint not null default 0,
  total_consumed bigint not null default 0,
  last_resort bytea,
  last_resort_expires_at bigint,
  constraint key_package_accounts_pkey PRIMARY KEY (device_id)
) with (fillfactor=50);
CREATE INDEX key_package_accounts_last_resort_expires_at ON public.key_package_accounts USING btree (last_resort_expires_at) WHERE (last_resort IS NOT NULL);

create table key_package_windows (
  key bytea not null,
  count integer not null,
  expires_at bigint not null,
  constraint key_package_windows_pkey PRIMARY KEY (key)
) with (fillfactor=85);
CREATE INDEX key_package_windows_expires_at ON public.key_package_windows USING btree (expires_at);

create table key_packages (
  device_id text not null,
  digest bytea not null,
  position bigint not null,
  key_package bytea,
  expires_at bigint not null,
  constraint key_packages_pkey PRIMARY KEY (device_id, digest)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);
CREATE INDEX key_packages_available ON public.key_packages USING btree (device_id, "position") INCLUDE (expires_at) WHERE (key_package IS NOT NULL);
CREATE INDEX key_packages_expires_at ON public.key_packages USING btree (expires_at);
alter table key_packages alter column key_package set storage external;

create table mailboxes (
  device_id text collate "C" not null,
  window_started_at bigint not null default 0,
  window_count integer not null default 0,
  window_limit integer not null default 0,
  window_carry integer not null default 0,
  misses_started_at bigint not null default 0,
  misses_count integer not null default 0,
  messages_sent bigint not null default 0,
  messages_received bigint not null default 0,
  last_position bigint not null default 0,
  last_received_at bigint not null default 0,
  queued_messages integer not null default 0,
  queued_bytes bigint not null default 0,
  handed_out_position bigint not null default 0,
  stream_node text,
  stream_id text,
  replaced_since bigint not null default 0,
  replaced_count integer not null default 0,
  constraint mailboxes_pkey PRIMARY KEY (device_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);

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
  constraint messages_pkey PRIMARY KEY (device_id, "position")
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.1, toast.autovacuum_vacuum_scale_factor=0.02, toast.autovacuum_vacuum_threshold=5000, toast.autovacuum_vacuum_cost_delay=0);
CREATE INDEX messages_expires_at ON public.messages USING btree (expires_at);
CREATE INDEX messages_message_id ON public.messages USING btree (message_id, "left"(device_id, 8));
alter table messages alter column ciphertext set storage external;

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
  beat_at timestamp with time zone not null,
  constraint nodes_pkey PRIMARY KEY (node_id)
);

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
  constraint outbox_pkey PRIMARY KEY (domain, "position")
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.1, toast.autovacuum_vacuum_scale_factor=0.02, toast.autovacuum_vacuum_threshold=5000, toast.autovacuum_vacuum_cost_delay=0);
CREATE INDEX outbox_expires_at ON public.outbox USING btree (expires_at);
alter table outbox alter column ciphertext set storage external;

create table outbox_destinations (
  domain text not null,
  last_position bigint not null default 0,
  messages bigint not null default 0,
  bytes bigint not null default 0,
  used_at bigint not null,
  reached_at bigint,
  next_attempt_millis bigint,
  failures integer not null default 0,
  failed_at bigint,
  problem text,
  transaction_id uuid,
  transaction_at bigint,
  transaction_positions bigint[],
  transaction_limit integer,
  lease_node text,
  lease_id uuid,
  lease_until timestamp with time zone,
  next_transaction_id uuid,
  next_transaction_at bigint,
  next_transaction_positions bigint[],
  constraint outbox_destinations_pkey PRIMARY KEY (domain)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX outbox_destinations_due ON public.outbox_destinations USING btree (((failures > 0)), next_attempt_millis) WHERE ((lease_node IS NULL) AND (next_attempt_millis IS NOT NULL));
CREATE INDEX outbox_destinations_leased ON public.outbox_destinations USING btree (lease_node) WHERE (lease_node IS NOT NULL);

create table outbox_holds (
  domain text not null,
  recipient uuid not null,
  failures integer not null,
  until_millis bigint not null,
  constraint outbox_holds_pkey PRIMARY KEY (domain, recipient)
);

create table provisioning_addresses (
  id uuid not null,
  poll_token_hash bytea not null,
  expires_at bigint not null,
  waiter uuid,
  ciphertext bytea,
  constraint provisioning_addresses_pkey PRIMARY KEY (id)
) with (fillfactor=85);
CREATE INDEX provisioning_addresses_expires_at ON public.provisioning_addresses USING btree (expires_at);
alter table provisioning_addresses alter column ciphertext set storage external;

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

create table schema_migrations (
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table secrets (
  name text not null,
  sealed bytea not null,
  created_at bigint not null,
  constraint secrets_pkey PRIMARY KEY (name)
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

insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at) values ('0f271966-510b-4ac1-ba8e-304cc8040c46', '48b49e610b67d448d20b918391bdc39691dc308d7ac8fca9d0ec577288c4d62f', 'uuid', 'http://relay.test', '1795348594', '1795348594', '1795434994');
insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at) values ('2f4f6f4d-a939-4d34-86e4-192986ec1800', 'b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', 'uuid', 'http://relay.test', '1795348594', '1795348594', '1795434994');
insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at) values ('41288ecc-3261-4545-b95c-b3a5825733dc', 'c4955050bb34f3be246a4cd82c190f6d283424de591be71aa80f5e99f84b8ff7', 'uuid', 'http://relay.test', '1795348593', '1795348593', '1795434993');
insert into daily_keys (day, sealed) values ('20778', E'\\xcfafb77d9a1bdc745c68c1cfa94ed84a329e67f8a2fa3f60b3be8b7e3454d40b34be4fcbc2206609f0064f6154f121654c6f1d4ccb3294a5898e02a6');
insert into daily_keys (day, sealed) values ('20779', E'\\x5a8b47ab0538ad68a17e6ae55641ccc11adb610b52f355c4d7cd8201322ac9fd8a81c210189ffdee2ba8bacd27010db37fd8a97538742181acf375f0');
insert into deduplication (key, expires_on) values (E'\\x18eeb522dbb1d22bcfe977f091df8ef300345ca85e628008cd908807c89181f6', '20810');
insert into deduplication (key, expires_on) values (E'\\x3d2baeeb01d3a2ff08ea40f88ee5fd6e5298034436cf4486aaeee8f8128baefb', '20810');
insert into deduplication (key, expires_on) values (E'\\x4bcf2d2fae59f90abc93f1af19518f4b30d68729befa3a637862952f751d0bfc', '20810');
insert into deduplication (key, expires_on) values (E'\\x8022b7edbb307d90911cc36a328b889264960bebb5988cba4f8e6e64f8759ca8', '20810');
insert into deduplication (key, expires_on) values (E'\\xa72c6eb20673d0c2358fc4ec7a838fa3c16db18cbed0939b15496a68b255c804', '20810');
insert into deduplication (key, expires_on) values (E'\\xa7437d8dd55422d81c379ca141db45588bbf8ea87821daf602af5f356ea04d1a', '20810');
insert into deduplication (key, expires_on) values (E'\\xcb9d640b542a3608cc5b5ef24c4a59774fec2881f11974c23ffb8b94aa9c8221', '20810');
insert into deduplication (key, expires_on) values (E'\\xfdac28d9f03a3b9195d3a5cf14be868295f9f0e293e9fa39cc125706a6d84d88', '20810');
insert into device_federation (device_id, domain, sent, received, last_day) values ('b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', 'elsewhere.example', '3', '0', '20779');
insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at, verified_by, blocked_at, banned_until, custom_limit, custom_limit_set_at, custom_limit_set_by, custom_limit_expires_at, spam_reports, spam_reports_by_device, max_retention_days, offline_message_limit, hide_presence, announcements_since, announcements, new_addresses_since, new_addresses) values ('48b49e610b67d448d20b918391bdc39691dc308d7ac8fca9d0ec577288c4d62f', E'\\xc42983a21ba89bc16a7de2977f0a307f64809c4616a29cd96878a5352d4b8ff0', '1795348594', '1795348594', 'false', NULL, NULL, '1', NULL, NULL, NULL, NULL, NULL, '0', '0', NULL, NULL, 'false', '1795348594', '1', '1795348594', '1');
insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at, verified_by, blocked_at, banned_until, custom_limit, custom_limit_set_at, custom_limit_set_by, custom_limit_expires_at, spam_reports, spam_reports_by_device, max_retention_days, offline_message_limit, hide_presence, announcements_since, announcements, new_addresses_since, new_addresses) values ('b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', E'\\xa8ac826d3bfe5d54557d5bc452adf08efc77c4ecdedcde8986e18e8205b46375', '1795348594', '1795348594', 'false', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '0', '0', NULL, NULL, 'false', '1795348594', '1', '1795348594', '1');
insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at, verified_by, blocked_at, banned_until, custom_limit, custom_limit_set_at, custom_limit_set_by, custom_limit_expires_at, spam_reports, spam_reports_by_device, max_retention_days, offline_message_limit, hide_presence, announcements_since, announcements, new_addresses_since, new_addresses) values ('c4955050bb34f3be246a4cd82c190f6d283424de591be71aa80f5e99f84b8ff7', E'\\x5ac63fa57b91bd32ee29bea514919734ed65e609349c44d093a76c4b722d8613', '1795348593', '1795348593', 'false', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '0', '0', NULL, NULL, 'false', '1795348593', '1', '1795348593', '1');
insert into federation_version (one, version, changed_at) values ('true', '0', '0');
insert into info_package_uploads (device_id, hour_started_at, hour_count, day_started_at, day_count) values ('c4955050bb34f3be246a4cd82c190f6d283424de591be71aa80f5e99f84b8ff7', '1795348595', '2', '1795348595', '2');
insert into info_packages (segment, kind, ciphertext, package_type, created_at, expires_at, max_uses, uses_remaining, uploader, revocation_hash) values ('3cdba88f-ae96-4df3-9c3b-a25638e45382', 'sealed', E'\\x3472f5100e37093419906e769a348222e01ff2e06912eb9dec2bb0b7f2ba4a89d2f38127cb512b8861cc2a7acaf7c2ed65237a42bebfe27d5af8b92a938e9fcd', 'identity', '1795348595', '1795352195', '2', '1', 'c4955050bb34f3be246a4cd82c190f6d283424de591be71aa80f5e99f84b8ff7', NULL);
insert into info_packages (segment, kind, ciphertext, package_type, created_at, expires_at, max_uses, uses_remaining, uploader, revocation_hash) values ('659ae79b580aab92501567d412ce3cf3', 'plain', E'\\xe65550d9d33064eff1501e5127a43bca77b06c686d341652bb4c3fba93fa377beb64e475fbb8d24359ba83d4fd831278c22c', 'identity', '1795348595', '1795352195', '2', '1', 'c4955050bb34f3be246a4cd82c190f6d283424de591be71aa80f5e99f84b8ff7', NULL);
insert into info_packages (segment, kind, ciphertext, package_type, created_at, expires_at, max_uses, uses_remaining, uploader, revocation_hash) values ('f08690a2698f580dcad368dcb3b4b8d5', 'revocable', E'\\x91a47d1685a80543b901b158de3d8bf5fc7610546c3e079162f677f965da6302a17f2c420bfde58e0321cdc90e234ab9e6928c85475b492d122906594ec4d807', NULL, '1795348595', '1795352195', '2', '1', NULL, E'\\xaa8fe85daca0ea2d1209f96abe966792cd316bf94619c6bc5c69478a8960f222');
insert into ip_windows (ip_hash, kind, window_started_at, count, expires_at) values ('bbd461234c7c858ba4a902086b199168e1bda176c344eaec94bd1a33802a9c48', 'first-announcement-day', '1795348593', '3', '1795434993');
insert into ip_windows (ip_hash, kind, window_started_at, count, expires_at) values ('bbd461234c7c858ba4a902086b199168e1bda176c344eaec94bd1a33802a9c48', 'first-announcement-hour', '1795348593', '3', '1795352193');
insert into ip_windows (ip_hash, kind, window_started_at, count, expires_at) values ('bbd461234c7c858ba4a902086b199168e1bda176c344eaec94bd1a33802a9c48', 'info-package-day', '1795348595', '1', '1795434995');
insert into ip_windows (ip_hash, kind, window_started_at, count, expires_at) values ('bbd461234c7c858ba4a902086b199168e1bda176c344eaec94bd1a33802a9c48', 'info-package-hour', '1795348595', '1', '1795352195');
insert into ip_windows (ip_hash, kind, window_started_at, count, expires_at) values ('bbd461234c7c858ba4a902086b199168e1bda176c344eaec94bd1a33802a9c48', 'provisioning', '1795348595', '1', '1795352195');
insert into key_package_accounts (device_id, last_position, total_consumed, last_resort, last_resort_expires_at) values ('b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', '3', '1', NULL, NULL);
insert into key_package_accounts (device_id, last_position, total_consumed, last_resort, last_resort_expires_at) values ('c4955050bb34f3be246a4cd82c190f6d283424de591be71aa80f5e99f84b8ff7', '0', '0', E'\\x37505f191f9689950d965543b3982117309dffc2db78c6382f0a12793a93527791b529e7276104be1553e426f73405f97072e845a7e9fb89dd4292446a66408380157e9ce61c4d91ef3cc3ac4f4b89bee0d89fa2016c4d97e5cf4c089b0b2239', '1797940595');
insert into key_package_windows (key, count, expires_at) values (E'\\xd48aad677d7fe3fad0fb25774786d17fe41d1c2a1bf1e148eb9f2a355556712b', '1', '1795352195');
insert into key_package_windows (key, count, expires_at) values (E'\\xd63e5a6658dd665789ad990e8d7a58c54d7a52fc1bb676609798376cb421a8b0', '1', '1795352195');
insert into key_packages (device_id, digest, position, key_package, expires_at) values ('b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', E'\\x0b326345f1c73c8aab85d7cf6a10ec1f7079fe35f193fdf1bf101378ed9860d1', '2', E'\\x225668ce4fb09a63661e66dfd84d415f362eaa97bd8297200ac8fc2e8faa4e5c900ea2b8fbd444559e410043b61863c919e54b10ee6215b504c83df03fb300e72065e537fa5fa7253e9d7179e7f248875426da9588af4e6238efee0ed5097979', '1797940595');
insert into key_packages (device_id, digest, position, key_package, expires_at) values ('b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', E'\\x87081b2d4909faffacef194dc89684d02a161b2ea96c5526c03b3e376706352a', '3', E'\\x2a4c5f73d1119c9d8cdacceb6f35240fd7b3f592a29444bfc5e44549eb58cbf67c79e97b0ac00ef62fed2c67df7a0950f2d0cb29ec2ff5eb402053301ca40a16601b8eb3dc8c0e5f119e1235ce67d369863949a9f15b8574c7595aacebfc64a6', '1797940595');
insert into key_packages (device_id, digest, position, key_package, expires_at) values ('b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', E'\\xd43cb5cb48cffac7111c22669fc3b0c5e60b71a2164161c57555117cdce576d7', '1', NULL, '1797940595');
insert into mailboxes (device_id, window_started_at, window_count, window_limit, window_carry, misses_started_at, misses_count, messages_sent, messages_received, last_position, last_received_at, queued_messages, queued_bytes, handed_out_position, stream_node, stream_id, replaced_since, replaced_count) values ('b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', '1795348595', '3', '10', '0', '0', '0', '3', '5', '5', '1795348594', '3', '192', '5', NULL, NULL, '0', '0');
insert into mailboxes (device_id, window_started_at, window_count, window_limit, window_carry, misses_started_at, misses_count, messages_sent, messages_received, last_position, last_received_at, queued_messages, queued_bytes, handed_out_position, stream_node, stream_id, replaced_since, replaced_count) values ('c4955050bb34f3be246a4cd82c190f6d283424de591be71aa80f5e99f84b8ff7', '1795348594', '5', '10', '0', '0', '0', '5', '0', '0', '0', '0', '0', '0', NULL, NULL, '0', '0');
insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event) values ('b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', '3', '01a2031d-7f20-7446-ab0f-659f9cd1df87', E'\\x604d2efa389bc8cca63c87175e9ae9af26ee35a04831cb3af65fecd44cf7953d1777fc6dda56088326890af3328afe535fda195387af8aace054eace623cb858', 'a41f8ef5bb59806f80ff6605a1399e22812b1b811f8ec5f0dc8051cc743a2e3141b049169a60b0c473f323882569176c9687aa03d0562a8fe9a0f25ccafe1a6e', '1795348594', '1795348594', '1797940594', NULL);
insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event) values ('b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', '4', '01a2031d-7f20-7cf1-98a3-0e24db682d30', E'\\x2809c665ec236561d91286e88afd6e1c91bc86dcf1826f0994f44a0fbeb9abfc6095b264548fa34b46e5b4db8f6077d9648d006177dbcd11b1c1b2a6a809885b', '3da3555f5410a2e5fddea9599aff50faf38a5a41bcdae7425675ea8511cb754a096c4418b31eecffe3c733af17503da5c0b169e8d61390827569d2ced086d72b', '1795348594', '1795348594', '1797940594', NULL);
insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event) values ('b03e0c970ad6ecc44285afd2419a804e379bd901df0d1504ba053ccc65c9b8ba', '5', '01a2031d-7f20-766b-bccb-07fe9026bc68', E'\\xf0c7f9325795dc6fb420c551252629f1c029f7980955980bb3edb465b143e1474ebdd4fdf54c41d8d70d0eab91b1c57a16322ed212dc54b9ce1dc20ea55ef571', '79d91978f5997515ebd200bbd9f2de26811c933843976201ee02a0b4b55ddb7fbbc985727df326e9aad028ef272e590f5563bd39190aa309059c2e9728f5f133', '1795348594', '1795348594', '1797940594', NULL);
insert into outbox (domain, position, message_id, recipient, ciphertext, sender_signature, sent_at, system_event, dedup_tag, accepted_at, expires_at) values ('elsewhere.example', '1', '01a2031d-8135-798a-99c0-fc9bcb49b398', '3a532932-4854-4ae3-a8bf-5055963ac2db', E'\\x38e501fb06c103f15c6f248e1bdec2f1460aec7c61f77afa11d20fbccec8d5ce8cc81c3bf3412d5d3cad93eb50a38279326c14578b5e13725a3b33f8f169f55a', '342f3b81a0a90e243dca754c9128f30c24b0a0af84a5bcdd0b12f779be32e39962c247e306c62db29bfcdf0ebbbcfccde156e2822b076d6147257385c5192514', '1795348594', NULL, E'\\x18eeb522dbb1d22bcfe977f091df8ef300345ca85e628008cd908807c89181f6', '1795348595', '1797940595');
insert into outbox (domain, position, message_id, recipient, ciphertext, sender_signature, sent_at, system_event, dedup_tag, accepted_at, expires_at) values ('elsewhere.example', '2', '01a2031d-8136-78cf-a637-4590fa917443', 'f5ab582d-2637-4a77-b2de-d09320f640e4', E'\\x747020df97fd239008f1c3ff7c1f4a6c6c900dd285d3488301006d1de6e3eed3ec97c839975dad9127a2f6f8cf1e288b97688e01e101bc9d7edaaec81a703b42', '844ed6ec320773320fe77961909e0f20c80dee8f97c803dc02fdb9abd9f7f0b8e2351f34fa0c6ec1f2f58ed5cbd87da58bc1bd2e866fcba21d1df91c120fa585', '1795348594', NULL, E'\\x4bcf2d2fae59f90abc93f1af19518f4b30d68729befa3a637862952f751d0bfc', '1795348595', '1797940595');
insert into outbox (domain, position, message_id, recipient, ciphertext, sender_signature, sent_at, system_event, dedup_tag, accepted_at, expires_at) values ('elsewhere.example', '3', '01a2031d-8136-7d4b-8be5-dff36515e9bb', 'fbcc50a0-2797-4ba8-8412-cc4d2c88a20f', E'\\xf7fd4ddb7b3a8c124e6837f61ecb0e9d8418ed8ebb545e8672e0a348123acd9e36c3fb5791aec91de1a13c36468a4c24603e358e9eba6786827e9eeee62a9e67', '4f2d3569d064799ce522ecd56f68babe015d64dcd0baa39891dc0586a717d8398afb650b84261b43a70eb504eba5cd492ec3a37a66d063f61e960fa37e95829b', '1795348594', NULL, E'\\xfdac28d9f03a3b9195d3a5cf14be868295f9f0e293e9fa39cc125706a6d84d88', '1795348595', '1797940595');
insert into outbox_destinations (domain, last_position, messages, bytes, used_at, reached_at, next_attempt_millis, failures, failed_at, problem, transaction_id, transaction_at, transaction_positions, transaction_limit, lease_node, lease_id, lease_until, next_transaction_id, next_transaction_at, next_transaction_positions) values ('elsewhere.example', '3', '3', '192', '1795348595', NULL, '1795348596182', '1', '1795348595', 'address', '304044c5-05fd-49d7-aad9-a1207d5425b7', '1795348595', '{1}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into provisioning_addresses (id, poll_token_hash, expires_at, waiter, ciphertext) values ('9bce77d9-6ff1-4bcd-a2c0-0bacd7669d8d', E'\\x5309ba6820eaea9233e9a34d9fff36a2d31632169944a7fce4d9fd9a312da7d2', '1795348895', NULL, E'\\x3110b49014befd7df92862e0014a25c468e220ee32ae6f1b3ce01cb79a79e0bea11df1c17810903f09bd88c57d48ee0dd0428c378c7a083caa8f4839d8123fbd023c2ff789ed1e7aadd429cd71719b4e2a717bb72bac5a6a19726363a3deaf2e205cd22db13404f61627b9529df4106af42d6333f15cefbd1acfa54bedc8e2bf0545d4025da15edbefc41c032e2997a609158fc78aed51b31956291ba65440aff791c8f0affec32b3c89b209a4d8c785a26eedf9dc90a39bd8f0a4911a5ad8eae1b0e866f6fb83c9');
insert into schema_migrations (name, applied_at) values ('0001-platform', '2026-11-22 11:56:20.909424+00');
insert into schema_migrations (name, applied_at) values ('0002-settings', '2026-11-22 11:56:21.03134+00');
insert into schema_migrations (name, applied_at) values ('0003-devices', '2026-11-22 11:56:21.110758+00');
insert into schema_migrations (name, applied_at) values ('0004-registration', '2026-11-22 11:56:21.201227+00');
insert into schema_migrations (name, applied_at) values ('0005-mailbox', '2026-11-22 11:56:21.308586+00');
insert into schema_migrations (name, applied_at) values ('0006-metrics', '2026-11-22 11:56:21.417263+00');
insert into schema_migrations (name, applied_at) values ('0007-audit', '2026-11-22 11:56:21.453858+00');
insert into schema_migrations (name, applied_at) values ('0008-message-ids', '2026-11-22 11:56:21.521864+00');
insert into schema_migrations (name, applied_at) values ('0010-keypackages', '2026-11-22 11:56:21.562247+00');
insert into schema_migrations (name, applied_at) values ('0011-provisioning', '2026-11-22 11:56:21.631657+00');
insert into schema_migrations (name, applied_at) values ('0012-infopackages', '2026-11-22 11:56:21.65324+00');
insert into schema_migrations (name, applied_at) values ('0013-moderation', '2026-11-22 11:56:21.723271+00');
insert into schema_migrations (name, applied_at) values ('0020-federation-peers', '2026-11-22 11:56:21.764395+00');
insert into schema_migrations (name, applied_at) values ('0021-federation-deliveries', '2026-11-22 11:56:21.889243+00');
insert into schema_migrations (name, applied_at) values ('0023-outbox', '2026-11-22 11:56:21.994586+00');
insert into schema_migrations (name, applied_at) values ('0024-outbox-next', '2026-11-22 11:56:22.153277+00');
insert into schema_migrations (name, applied_at) values ('0030-admin', '2026-11-22 11:56:22.195341+00');
insert into schema_migrations (name, applied_at) values ('0033-monitoring', '2026-11-22 11:56:22.271695+00');
insert into secrets (name, sealed, created_at) values ('deduplication', E'\\x0fdc3f0d37bfb1477aa8c4ef7dc68a9b650b9ac411b06d6bb9b24ed56e131f24c5d1ffa62494e29a3fcacbd4c6e3c1291031879af852682673c64e16', '1795348583');
insert into secrets (name, sealed, created_at) values ('device-marks', E'\\xe38966a3dc48a9355f2a40157452fef148945ff43c4adabbe01e0afa58477a2e7ce47fd001583dac7abfbd95f3e322c3f957eae032ab765ca60ef85b', '1795348584');
insert into secrets (name, sealed, created_at) values ('federation-nonce', E'\\x9bd6d2884d1296d515bdfe13ef7c53da5800fc20994d3b8b0f6979d7a1679c6774acf475fc597bdf009cb68e13feccec0d49eb98dd82ff1ffb1fd2d9', '1795348584');
insert into secrets (name, sealed, created_at) values ('federation-origins', E'\\x8fdc58041cd125b7371b78dff4be8868ed89c35881fc03a18a9f9883ea561aa95d36c773808145bd1811cdc2f0e690de3566f03197789b0bd01f5c28', '1795348584');
insert into secrets (name, sealed, created_at) values ('federation-spam', E'\\x7c129b5f7bee5d9039b388c06644ff54138d8ef45aea68d03238db0d9ef7df20ee0161ff8a271cc422169419771a60596d9f406dd20faa7c0b0ae0ec', '1795348584');
insert into secrets (name, sealed, created_at) values ('key-package-windows', E'\\xece3b70b851145d8e1cc9e5f149d3e5c3a0eb005f684a01d076a48f12c9c78836b0de47393283f375b1aee9713429dba3f75107429679961f6cf057a', '1795348584');
insert into secrets (name, sealed, created_at) values ('spam-reports', E'\\x708ec70d23292c9f6b22d92783f1883912b054b8dee851fcd23fe6d15a42363a5c0d2ee9939ff3513823b15c97833090baabb1f3ca545aa615955bd4', '1795348584');
insert into settings (key, value, updated_at, updated_by) values ('federation.allowlist_mode', 'false', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.auto_block_threshold', '0.3', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.certificate_validation', 'true', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.enabled', 'true', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.publish_blocklist', 'false', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.enabled', 'true', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.established_tier_duration_hours', '24', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.established_tier_limit', '60', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.new_tier_duration_hours', '6', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.new_tier_limit', '10', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.spam_report_block_threshold', '5', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.spam_score_threshold', '4', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.trusted_tier_limit', '300', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.burst_allowance', '10', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.enabled', 'true', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.infopackage_uploads_per_day', '50', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.infopackage_uploads_per_hour', '10', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.window_seconds', '3600', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.accept_invites', 'true', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.allow_time_delay', 'false', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.enabled', 'true', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.mode', '"open"', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.proof_of_work_difficulty', '5000000', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.require_proof_of_work', 'false', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.time_delay_seconds', '120', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.max_message_size', '10485760', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.max_retention_days', '30', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.protocol_version', '"1.0"', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.server_name', '"MLS relay"', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.announcement_retention_hours', '24', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.message_queue_bytes_limit', '268435456', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.message_queue_limit', '1000', '1795348583', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.metadata_retention_days', '30', '1795348583', NULL);
insert into settings_version (one, version) values ('true', '1');
insert into signing_keys (kid, public_key, sealed_private, created_at, retired_at, revoked_at) values ('GLR23MHrew-pw8ONov7qMRLU1-8UFPulN5lwMtUTcvg', E'\\x109ef757838c1444f79a3726e495c4f99c5bd7ff34a6e68172fef2892015f78a', E'\\x3735fb01c617c1233beeee77084111f6a030b46a2848d3b914471e5e014cfa764ad1cb01a5cf2e359eadff4275d060ccb23c34944f570c3feea5a65a', '1795348582', NULL, NULL);
