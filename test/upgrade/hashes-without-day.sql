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

insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at) values ('1e79ce73-d992-4d98-996b-b3da2b2c1dce', 'e18ab1ce48d9932f0368f83671fe18e5d36e1051577637d5b6e594f2a4e70f15', 'uuid', 'http://relay.test', '1795336765', '1795336765', '1795423165');
insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at) values ('4b1a96a0-05cb-4732-bd21-ea88115868a4', '2dfb56593428b16a1173ac857ee50f5c592a561269edd4ec98bd74dc58aa8a5e', 'uuid', 'http://relay.test', '1795336765', '1795336765', '1795423165');
insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at) values ('6cecde63-93b0-4501-b1ac-ec3939462dd8', '14ed0681affee50636e1aa3bba38e929cbd7b177e9220e9c9742002931241ae9', 'uuid', 'http://relay.test', '1795336765', '1795336765', '1795423165');
insert into daily_keys (day, sealed) values ('20778', E'\\x4da9dbce1bd0b383a4c8f33d9acb43349c5aa12605c040af6c679516375b1b1e6386cc585e99b1d01959fcb438d7a6c30b0b2d5cdbe5b685858461b9');
insert into daily_keys (day, sealed) values ('20779', E'\\x76e3d2b93f0bd5be99592c744108d38a97c7f7ccd72640f3a5e33ded17351f512a6470bc168f38f03a69ba363f6b1acb3ce3f24c6756ca416440d4e1');
insert into deduplication (key, expires_on) values (E'\\x0388b6f98549f0a48437136491dd43e4cdddb1f0bba26a76c5156cc4588bef85', '20810');
insert into deduplication (key, expires_on) values (E'\\x41005bca406eb4bf0d3bc4413d951b2af3bbb4bdd57937a6bde9e5266e630a3c', '20810');
insert into deduplication (key, expires_on) values (E'\\xf0652af3b5a597a3a21fadb7ea979386fe9885a71746ed5935ddec50139ca435', '20810');
insert into deduplication (key, expires_on) values (E'\\xf7bc918855bae3b67358452fbed7282890fe5b2fdc9b7ea992a3320b74155ddc', '20810');
insert into deduplication (key, expires_on) values (E'\\xfb985744a448cd7a8fca9d89c377f59f5a05df2fd7b02b76aae76cec5edd42e1', '20810');
insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at, verified_by, blocked_at, banned_until, custom_limit, custom_limit_set_at, custom_limit_set_by, custom_limit_expires_at, spam_reports, spam_reports_by_device, max_retention_days, offline_message_limit, hide_presence, announcements_since, announcements, new_addresses_since, new_addresses) values ('14ed0681affee50636e1aa3bba38e929cbd7b177e9220e9c9742002931241ae9', E'\\xb0346208b2375bb5974bec9b67bd16a44ca29caf22564f2999d695c71f33d9db', '1795336765', '1795336765', 'false', NULL, NULL, '1', NULL, NULL, NULL, NULL, NULL, '0', '0', NULL, NULL, 'false', '1795336765', '1', '1795336765', '1');
insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at, verified_by, blocked_at, banned_until, custom_limit, custom_limit_set_at, custom_limit_set_by, custom_limit_expires_at, spam_reports, spam_reports_by_device, max_retention_days, offline_message_limit, hide_presence, announcements_since, announcements, new_addresses_since, new_addresses) values ('2dfb56593428b16a1173ac857ee50f5c592a561269edd4ec98bd74dc58aa8a5e', E'\\x5089699ce997a464bafaa33dcdfa7b9b3346b3a8d03987740bd710f33429e377', '1795336765', '1795336765', 'false', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '0', '0', NULL, NULL, 'false', '1795336765', '1', '1795336765', '1');
insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at, verified_by, blocked_at, banned_until, custom_limit, custom_limit_set_at, custom_limit_set_by, custom_limit_expires_at, spam_reports, spam_reports_by_device, max_retention_days, offline_message_limit, hide_presence, announcements_since, announcements, new_addresses_since, new_addresses) values ('e18ab1ce48d9932f0368f83671fe18e5d36e1051577637d5b6e594f2a4e70f15', E'\\xe1d3cbd8f9d9a4397d236b405b9af53484216ccfef8a107976b1d1103d681e31', '1795336765', '1795336765', 'false', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '0', '0', NULL, NULL, 'false', '1795336765', '1', '1795336765', '1');
insert into federation_version (one, version, changed_at) values ('true', '0', '0');
insert into ip_windows (ip_hash, kind, window_started_at, count, expires_at) values ('8d8cc5d05e81b64fe5ed223dd872785373697983abf9a0d898c6ebae2a8e84be', 'first-announcement-day', '1795336765', '3', '1795423165');
insert into ip_windows (ip_hash, kind, window_started_at, count, expires_at) values ('8d8cc5d05e81b64fe5ed223dd872785373697983abf9a0d898c6ebae2a8e84be', 'first-announcement-hour', '1795336765', '3', '1795340365');
insert into key_package_accounts (device_id, last_position, total_consumed, last_resort, last_resort_expires_at) values ('e18ab1ce48d9932f0368f83671fe18e5d36e1051577637d5b6e594f2a4e70f15', '3', '1', NULL, NULL);
insert into key_package_windows (key, count, expires_at) values (E'\\x280be745832ed986bc1431b3c970f00fae39c4049c8e9e391291344c7897b702', '1', '1795340367');
insert into key_package_windows (key, count, expires_at) values (E'\\x62eed328ad8ac8cd64c65efbfb09549e797dac2ec17d517677c910564eefd670', '1', '1795340367');
insert into key_packages (device_id, digest, position, key_package, expires_at) values ('e18ab1ce48d9932f0368f83671fe18e5d36e1051577637d5b6e594f2a4e70f15', E'\\x05205f809eb477d111cd23cb9199681444edd9dfc5cb85ca5669c7cc98199d0d', '1', NULL, '1797928766');
insert into key_packages (device_id, digest, position, key_package, expires_at) values ('e18ab1ce48d9932f0368f83671fe18e5d36e1051577637d5b6e594f2a4e70f15', E'\\xd92b699bd8f132d72449cceeb127ad7b30c309abae7cc1f99aabd3c06497d5d5', '3', E'\\xbb865d176884ed5bb497f4866c0dd3f70e31bae56b19e9f5818d1a9b3fe162b8a2643b527c04c8baa8d99a4afb346cab61c47590cd166c30477bef6673b03aed27a98b948dae6f8ec641c5dc9fbcb5d09519e8af6fcf2eff3a1250973095fa04', '1797928766');
insert into key_packages (device_id, digest, position, key_package, expires_at) values ('e18ab1ce48d9932f0368f83671fe18e5d36e1051577637d5b6e594f2a4e70f15', E'\\xe68cabadce40be65265389d1f4e17b152c4dffcfc2212cc9ab9094add5d8dbc6', '2', E'\\xf04217cda00a738480702adf99346f4c2af08d5b90b09a031c33ef4a3e8da716b7cab32a0609d2e7f047b909a8603c6733e2d99bb76e94bb7d2f25f3535d64913e1cc275894f5b3d9ed97795ecb70989be969cdb8adcb4b5be02a114c9b8d3d7', '1797928766');
insert into mailboxes (device_id, window_started_at, window_count, window_limit, window_carry, misses_started_at, misses_count, messages_sent, messages_received, last_position, last_received_at, queued_messages, queued_bytes, handed_out_position, stream_node, stream_id, replaced_since, replaced_count) values ('2dfb56593428b16a1173ac857ee50f5c592a561269edd4ec98bd74dc58aa8a5e', '1795336766', '5', '10', '0', '0', '0', '5', '0', '0', '0', '0', '0', '0', NULL, NULL, '0', '0');
insert into mailboxes (device_id, window_started_at, window_count, window_limit, window_carry, misses_started_at, misses_count, messages_sent, messages_received, last_position, last_received_at, queued_messages, queued_bytes, handed_out_position, stream_node, stream_id, replaced_since, replaced_count) values ('e18ab1ce48d9932f0368f83671fe18e5d36e1051577637d5b6e594f2a4e70f15', '0', '0', '0', '0', '0', '0', '0', '5', '5', '1795336766', '3', '192', '5', NULL, NULL, '0', '0');
insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event) values ('e18ab1ce48d9932f0368f83671fe18e5d36e1051577637d5b6e594f2a4e70f15', '3', '01a20269-0307-738a-9f4c-aebd791fddee', E'\\x6312775e5eca75049c0a77bfe57089af1c47e7cddae9f7ab1f3cc78a4cdf3bfbebac55e47ab3288f60209fc0ec35e16278ec571d8d5dd6b48c1858761ae1f426', '109304d2ef1ede1df74b2cdf5479c71dd2fb9e087fa164d25e9df4fcc522487232cb649cdbf8988cf6a10f1798747229032c48f3c5d445de1ff77f445bd4ad74', '1795336766', '1795336766', '1797928766', NULL);
insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event) values ('e18ab1ce48d9932f0368f83671fe18e5d36e1051577637d5b6e594f2a4e70f15', '4', '01a20269-0307-7fa0-8866-612d9d267936', E'\\xf0daaf777530ebaa9820ec1dfae0aea61527232e3cb47f086c682639a553af77a02375f42ba81bca3e6c46371c8b57742afe9ca239b0d084750121b59e93d6bc', 'c72a648472bc638cd473c5720644e03bc32a3b7a9fcc4225c88a97ce85c48884d96ad597c5ae93ccbdc978f4d7fd35834cff8992f09b5b6337e90923fcdcb601', '1795336766', '1795336766', '1797928766', NULL);
insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event) values ('e18ab1ce48d9932f0368f83671fe18e5d36e1051577637d5b6e594f2a4e70f15', '5', '01a20269-0307-783e-84ee-8155c7bb6fd4', E'\\xb3df657b8bbe210e2f17064c2565f247fe641ffcb54fadb462e5a902f8c9bd544ce48f59df0703ebe8b80246d0d451a445c9e9a0422d3bf78fbc01f30c08403d', '152fd6ae9c1984d32e7842482f1499dbb3f645e8fbbfdeafb9118aaec78145b41d483a2e724fca55c75b02036bbde7bf92566fc29aee82db5ec3811449c1def7', '1795336766', '1795336766', '1797928766', NULL);
insert into schema_migrations (name, applied_at) values ('0001-platform', '2026-11-22 08:39:17.123661+00');
insert into schema_migrations (name, applied_at) values ('0002-settings', '2026-11-22 08:39:17.202068+00');
insert into schema_migrations (name, applied_at) values ('0003-devices', '2026-11-22 08:39:17.274027+00');
insert into schema_migrations (name, applied_at) values ('0004-registration', '2026-11-22 08:39:17.328499+00');
insert into schema_migrations (name, applied_at) values ('0005-mailbox', '2026-11-22 08:39:17.35229+00');
insert into schema_migrations (name, applied_at) values ('0006-metrics', '2026-11-22 08:39:17.38525+00');
insert into schema_migrations (name, applied_at) values ('0007-audit', '2026-11-22 08:39:17.413845+00');
insert into schema_migrations (name, applied_at) values ('0008-message-ids', '2026-11-22 08:39:17.437917+00');
insert into schema_migrations (name, applied_at) values ('0010-keypackages', '2026-11-22 08:39:17.458218+00');
insert into schema_migrations (name, applied_at) values ('0011-provisioning', '2026-11-22 08:39:17.494718+00');
insert into schema_migrations (name, applied_at) values ('0012-infopackages', '2026-11-22 08:39:17.534007+00');
insert into schema_migrations (name, applied_at) values ('0013-moderation', '2026-11-22 08:39:17.572303+00');
insert into schema_migrations (name, applied_at) values ('0020-federation-peers', '2026-11-22 08:39:17.601053+00');
insert into schema_migrations (name, applied_at) values ('0021-federation-deliveries', '2026-11-22 08:39:17.693518+00');
insert into schema_migrations (name, applied_at) values ('0023-outbox', '2026-11-22 08:39:17.763198+00');
insert into schema_migrations (name, applied_at) values ('0024-outbox-next', '2026-11-22 08:39:17.844116+00');
insert into schema_migrations (name, applied_at) values ('0030-admin', '2026-11-22 08:39:17.872662+00');
insert into schema_migrations (name, applied_at) values ('0033-monitoring', '2026-11-22 08:39:17.932773+00');
insert into secrets (name, sealed, created_at) values ('deduplication', E'\\x0b4f04034721606d674d4a208010be688bbc943c288a612cb7aadc1a5a5a4286ecad703b93abc763705ee5d07bd8bfd9a69da2f24b6c6bbf8d43ac8e', '1795336758');
insert into secrets (name, sealed, created_at) values ('device-marks', E'\\x88ae4adc3ee0e65eee5d3bb0ddf2b06523a979f443196ed861becf5b8d88995a60aed08a8468ba95c60298653222d65fd2d52f425746562c75ceb71f', '1795336758');
insert into secrets (name, sealed, created_at) values ('federation-nonce', E'\\x3de750675dee47e12225e7df58b8c320eacc089cf0f54bb3f63d12bcc6f03bea4c5c95c8a9b8de19253669179fd8dd0b03601f61d4d0d71a0a323816', '1795336758');
insert into secrets (name, sealed, created_at) values ('federation-origins', E'\\xfbb630dbc191df87aaf0b385912c935d191da73045bf2440168b47f9ee0ae7ba781b38eb458995468f33cfb3c07e1910dbb79a7b346b44f1cba17e80', '1795336758');
insert into secrets (name, sealed, created_at) values ('federation-spam', E'\\x8463e310d14394a75f8d19424a729a6dc97b1f89f66ec0d1b2084dfb728defecb12bc4dfe60d7d74bb57b1b7ee7bf74caf7b4afd3366477957fa8f48', '1795336758');
insert into secrets (name, sealed, created_at) values ('key-package-windows', E'\\xf4e10b9e4ccc980e4d860fbb31e79ccf07f4959b29faafafd8c9145c3e7a5f8e489c1e2db331f6f8c8ebd36532b89e6ad4b80911aab945ec07c56c23', '1795336758');
insert into secrets (name, sealed, created_at) values ('spam-reports', E'\\x9a3a0ba34621444cc6c89c3db9f3d21e8d215645cb1e04176e4f5cd474f51d5665f40cb3bf1fcce88c02f65e4648a19c7f933f1071222bbaed6a7819', '1795336758');
insert into settings (key, value, updated_at, updated_by) values ('federation.allowlist_mode', 'false', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.auto_block_threshold', '0.3', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.certificate_validation', 'true', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.enabled', 'true', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.publish_blocklist', 'false', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.enabled', 'true', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.established_tier_duration_hours', '24', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.established_tier_limit', '60', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.new_tier_duration_hours', '6', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.new_tier_limit', '10', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.spam_report_block_threshold', '5', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.spam_score_threshold', '4', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.trusted_tier_limit', '300', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.burst_allowance', '10', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.enabled', 'true', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.infopackage_uploads_per_day', '50', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.infopackage_uploads_per_hour', '10', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.window_seconds', '3600', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.accept_invites', 'true', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.allow_time_delay', 'false', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.enabled', 'true', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.mode', '"open"', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.proof_of_work_difficulty', '5000000', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.require_proof_of_work', 'false', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.time_delay_seconds', '120', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.max_message_size', '10485760', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.max_retention_days', '30', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.protocol_version', '"1.0"', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.server_name', '"MLS relay"', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.announcement_retention_hours', '24', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.message_queue_bytes_limit', '268435456', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.message_queue_limit', '1000', '1795336758', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.metadata_retention_days', '30', '1795336758', NULL);
insert into settings_version (one, version) values ('true', '1');
insert into signing_keys (kid, public_key, sealed_private, created_at, retired_at, revoked_at) values ('RimTdr5bAUI1KVVMuZJAxMdmX5s1cc7gslASZ2f5BB8', E'\\x5a20be1371828cc4fdda70fcee9edaf31471deeb8821fc18987e82253afcd6c5', E'\\xda8375c193f5dd6ebb5186a2573e6d29d269e2429a0add34d2eeb3fe4ac1e8558f15cee9817134764476c70d1e9acf58b18c07d18e34894e288e454d', '1795336758', NULL, NULL);
