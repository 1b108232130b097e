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

insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at) values ('3e12d08a-dc4e-462d-abc2-00f25cf43b2c', '89187c20a12b1a67a4ee61368f618e1f01096d2a1a82222b3806a81a6c3db3c6', 'uuid', 'http://relay.test', '1795336801', '1795336801', '1795423201');
insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at) values ('8936dc9e-f1a3-4e45-8470-ea68a4429a51', '4accac292eef3a8d8186ca8bedecf700a69e279ecbf51120d74d663e79142b6f', 'uuid', 'http://relay.test', '1795336800', '1795336800', '1795423200');
insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at) values ('a43467fb-0870-4d62-8f91-c8722a66118f', '7fc17977f639617cd74e934db6223aa31dd4ddbc7d4deec5adc4b7205906bead', 'uuid', 'http://relay.test', '1795336800', '1795336800', '1795423200');
insert into daily_keys (day, sealed) values ('20778', E'\\x5836067018f53a40f923e959d795fdcf723873049856df8ff8de05bd83c7a03ed513f865b57d80b526216a0d8d72dc4685df305af1b5574253c7a789');
insert into daily_keys (day, sealed) values ('20779', E'\\x58b915342c0130daea4f76901a9e0a0fc9e2efb9d000fc93cf4392aa6a07cf494dfbe499266baeab001a70e1a395eba4406fcb0999ba7bb0fbdfb889');
insert into deduplication (key, expires_on) values (E'\\x512b7fa930d250a222f6e460bbd65c0c1393d047b298d69d9a9d4284d69abb85', '20810');
insert into deduplication (key, expires_on) values (E'\\x512b804f9c1419f6e6d928455aa82e4a4642e84168338b7861cc66abb2bba87d', '20810');
insert into deduplication (key, expires_on) values (E'\\x512baf0b6a7077d848d2f30f6a6284e3a6dfaf9eecc9d2c56ea3e7be9f625f7b', '20810');
insert into deduplication (key, expires_on) values (E'\\x512bb8885c60a8b89af0514c9166f5f95fe99e9715c3f0f2762bcd3e383d2692', '20810');
insert into deduplication (key, expires_on) values (E'\\x512bb9b638fd04a9ade191827be3d75e77fbb936d0f190c95164d14a2c2cc684', '20810');
insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at, verified_by, blocked_at, banned_until, custom_limit, custom_limit_set_at, custom_limit_set_by, custom_limit_expires_at, spam_reports, spam_reports_by_device, max_retention_days, offline_message_limit, hide_presence, announcements_since, announcements, new_addresses_since, new_addresses) values ('4accac292eef3a8d8186ca8bedecf700a69e279ecbf51120d74d663e79142b6f', E'\\x4ed93eca03b4919ececa1869f65b1ad3b4aa450f7026213094ab29fba278a5d9', '1795336800', '1795336800', 'false', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '0', '0', NULL, NULL, 'false', '1795336800', '1', '1795336800', '1');
insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at, verified_by, blocked_at, banned_until, custom_limit, custom_limit_set_at, custom_limit_set_by, custom_limit_expires_at, spam_reports, spam_reports_by_device, max_retention_days, offline_message_limit, hide_presence, announcements_since, announcements, new_addresses_since, new_addresses) values ('7fc17977f639617cd74e934db6223aa31dd4ddbc7d4deec5adc4b7205906bead', E'\\x90416f348ff68183025770b40624df1dd55e3fb7114e1e4bf0d4efd65675cebf', '1795336800', '1795336800', 'false', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '0', '0', NULL, NULL, 'false', '1795336800', '1', '1795336800', '1');
insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at, verified_by, blocked_at, banned_until, custom_limit, custom_limit_set_at, custom_limit_set_by, custom_limit_expires_at, spam_reports, spam_reports_by_device, max_retention_days, offline_message_limit, hide_presence, announcements_since, announcements, new_addresses_since, new_addresses) values ('89187c20a12b1a67a4ee61368f618e1f01096d2a1a82222b3806a81a6c3db3c6', E'\\xeeca2a1853da64349c69e259f09464f13a5c3c58342237f570bc2ea6ca1be484', '1795336801', '1795336801', 'false', NULL, NULL, '1', NULL, NULL, NULL, NULL, NULL, '0', '0', NULL, NULL, 'false', '1795336801', '1', '1795336801', '1');
insert into federation_version (one, version, changed_at) values ('true', '0', '0');
insert into ip_windows (ip_hash, kind, window_started_at, count, expires_at) values ('ca070899d4914b85eb83bba21044ce76ec898e055f9a4a72ebec7a17ea87e799', 'first-announcement-day', '1795336800', '3', '1795423200');
insert into ip_windows (ip_hash, kind, window_started_at, count, expires_at) values ('ca070899d4914b85eb83bba21044ce76ec898e055f9a4a72ebec7a17ea87e799', 'first-announcement-hour', '1795336800', '3', '1795340400');
insert into key_package_accounts (device_id, last_position, total_consumed, last_resort, last_resort_expires_at) values ('7fc17977f639617cd74e934db6223aa31dd4ddbc7d4deec5adc4b7205906bead', '3', '1', NULL, NULL);
insert into key_package_windows (key, count, expires_at) values (E'\\x2baae8f9914c849e03d738705cb646417104235f09149539710807c52e5d510b', '1', '1795340401');
insert into key_package_windows (key, count, expires_at) values (E'\\x6bb1c8bb7a8bc8463f831386a6ee8b960338dceec780c510e788de34fd18ebff', '1', '1795340401');
insert into key_packages (device_id, digest, position, key_package, expires_at) values ('7fc17977f639617cd74e934db6223aa31dd4ddbc7d4deec5adc4b7205906bead', E'\\xae42c9cd7ef62ef7f759b57c810f04bc663bf074f16f165a750fdeee20d5880e', '1', NULL, '1797928801');
insert into key_packages (device_id, digest, position, key_package, expires_at) values ('7fc17977f639617cd74e934db6223aa31dd4ddbc7d4deec5adc4b7205906bead', E'\\xc9bc0b163a6ed6648327e153254acf963a95531410aee89054ca56cc5bc6bd60', '2', E'\\xfdf498de41728e65791439c82c0c86524be54094256759e4a2e1c09f611277b928ece78e684c27f119ddbdca366ad7ad4bf1603f568ae64b3db780b941487c4db512bca0d0abb0da079665da743ef9930e5a0b877b8e81099b59d2f0c76e36be', '1797928801');
insert into key_packages (device_id, digest, position, key_package, expires_at) values ('7fc17977f639617cd74e934db6223aa31dd4ddbc7d4deec5adc4b7205906bead', E'\\xdbd2758660dc53fee73dff01e269824196c8619a512c21d1416af4fbb8871e7a', '3', E'\\x974073703146697bfe85954d6dcae08215cdeb8626bc24fac3844e3138aa86858300975db0f49507416b099d6e9ac59e4c7f87902a35ec4dabd48a685803660cb2cd93400e788b70e48d3ae75c8d1ad00d612136d5de10776c7f884e42e134bc', '1797928801');
insert into mailboxes (device_id, window_started_at, window_count, window_limit, window_carry, misses_started_at, misses_count, messages_sent, messages_received, last_position, last_received_at, queued_messages, queued_bytes, handed_out_position, stream_node, stream_id, replaced_since, replaced_count) values ('4accac292eef3a8d8186ca8bedecf700a69e279ecbf51120d74d663e79142b6f', '1795336801', '5', '10', '0', '0', '0', '5', '0', '0', '0', '0', '0', '0', NULL, NULL, '0', '0');
insert into mailboxes (device_id, window_started_at, window_count, window_limit, window_carry, misses_started_at, misses_count, messages_sent, messages_received, last_position, last_received_at, queued_messages, queued_bytes, handed_out_position, stream_node, stream_id, replaced_since, replaced_count) values ('7fc17977f639617cd74e934db6223aa31dd4ddbc7d4deec5adc4b7205906bead', '0', '0', '0', '0', '0', '0', '0', '5', '5', '1795336801', '3', '192', '5', NULL, NULL, '0', '0');
insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event) values ('7fc17977f639617cd74e934db6223aa31dd4ddbc7d4deec5adc4b7205906bead', '3', '01a20269-8c03-75c9-ab3f-34cee8ce4a2d', E'\\x6716ca9daa473c7c66958d2514d8bec23e9519cd3650d8c1cb0baef9d8cd2fa9c5622463364eb7f8888f7f4d8e0a839c2bfe7d391affaef4f344aa937b4d9eba', 'cde304c91e1d8659d7e1b5d991504da699a5f0c7d3a905f8bdaca91e001a3b99e443f5dec8cdbf067184f433d24daad941a875d9d9ef66b30f965461d7ade263', '1795336801', '1795336801', '1797928801', NULL);
insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event) values ('7fc17977f639617cd74e934db6223aa31dd4ddbc7d4deec5adc4b7205906bead', '4', '01a20269-8c03-7887-a018-bc441023db2a', E'\\xb9f269ec943e1f778a3aaccb3c6ebef75726429f89cb61e272d83595d2747afc87c274d5637a3c02af913b3fd20758054aff6c221bbe15bba64a14bb26cf5228', 'cc92e5ea959adda67bac40f6d925e0b62537dc65f6f4c923794e9c40df11068743744ff13d5cd1f410eccc9ff17ed8ce2b7f4c2eeacb1d130ae1a230c2b5ca33', '1795336801', '1795336801', '1797928801', NULL);
insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event) values ('7fc17977f639617cd74e934db6223aa31dd4ddbc7d4deec5adc4b7205906bead', '5', '01a20269-8c03-72cd-8e1c-fd476909991c', E'\\x53f4aa830f5999ef7df70232d2a9cb03683fba6ceced2544e9afd82c21b15b272471ee185663e5dabfd44550ba10536f6f262bbed98ae1b531a4bc6ec3e89308', 'a4f0de5c48f778d2e73ad46edca9f298737c4d553284fc3975e707f2faa6b811e2f51c94d08e0bf59c830fc3a3b0a321f15e13dee85bf1512e0881e58a577f7e', '1795336801', '1795336801', '1797928801', NULL);
insert into schema_migrations (name, applied_at) values ('0001-platform', '2026-11-22 08:39:52.383475+00');
insert into schema_migrations (name, applied_at) values ('0002-settings', '2026-11-22 08:39:52.565251+00');
insert into schema_migrations (name, applied_at) values ('0003-devices', '2026-11-22 08:39:52.60814+00');
insert into schema_migrations (name, applied_at) values ('0004-registration', '2026-11-22 08:39:52.695096+00');
insert into schema_migrations (name, applied_at) values ('0005-mailbox', '2026-11-22 08:39:52.795491+00');
insert into schema_migrations (name, applied_at) values ('0006-metrics', '2026-11-22 08:39:52.854128+00');
insert into schema_migrations (name, applied_at) values ('0007-audit', '2026-11-22 08:39:52.914234+00');
insert into schema_migrations (name, applied_at) values ('0008-message-ids', '2026-11-22 08:39:52.96407+00');
insert into schema_migrations (name, applied_at) values ('0010-keypackages', '2026-11-22 08:39:52.986527+00');
insert into schema_migrations (name, applied_at) values ('0011-provisioning', '2026-11-22 08:39:53.082393+00');
insert into schema_migrations (name, applied_at) values ('0012-infopackages', '2026-11-22 08:39:53.118112+00');
insert into schema_migrations (name, applied_at) values ('0013-moderation', '2026-11-22 08:39:53.185339+00');
insert into schema_migrations (name, applied_at) values ('0020-federation-peers', '2026-11-22 08:39:53.215913+00');
insert into schema_migrations (name, applied_at) values ('0021-federation-deliveries', '2026-11-22 08:39:53.356155+00');
insert into schema_migrations (name, applied_at) values ('0023-outbox', '2026-11-22 08:39:53.454028+00');
insert into schema_migrations (name, applied_at) values ('0024-outbox-next', '2026-11-22 08:39:53.538743+00');
insert into schema_migrations (name, applied_at) values ('0030-admin', '2026-11-22 08:39:53.558683+00');
insert into schema_migrations (name, applied_at) values ('0033-monitoring', '2026-11-22 08:39:53.64625+00');
insert into secrets (name, sealed, created_at) values ('deduplication', E'\\xb02bd04849f77377ea3da0c84bc2fa53b7b5990a404fe182f9783916b849715e144ae31a0bcc40ed9085a0f0c63220ea07aa9ec906f57a6e8f04c450', '1795336794');
insert into secrets (name, sealed, created_at) values ('device-marks', E'\\x226a7eb28405b5ea16ff671b961097e748c635cc0dacae2b6da5955ac7326c3108a1d7f62b6ad49eb3114609e8b8cf06b8142fb71790bbc894f4129a', '1795336794');
insert into secrets (name, sealed, created_at) values ('federation-nonce', E'\\x470721580d14ce8ab447fa181b04f089409a64b6fe41f56c20e9a2d05de80d9e1dae40cb119b812876699567f869fd7dc65085fd85cc44d6e2e9c30b', '1795336794');
insert into secrets (name, sealed, created_at) values ('federation-origins', E'\\xb5d8f8620e3e11bf4eae14060c720cffaec19d57bb3fac46cd85653cee89072abe9b923e71dce4ca8f6c50f888aa9bfb63d2f4714740a351c423efd4', '1795336794');
insert into secrets (name, sealed, created_at) values ('federation-spam', E'\\xeb5831b5aa2c0b52d5c3dd367755be7a2ccc8252d4f3076df4e31fe3653a29302657c606b58a5beb2f726b6a7cd3d1c2cd5f0d7ce526c2d75166dbe1', '1795336794');
insert into secrets (name, sealed, created_at) values ('key-package-windows', E'\\x90ed41c90be909c159702cd1fbae1a26b7f1948733a0c586a18849d4b797a58c1416eb0db2a9d3a4d19d46d308351b550bd66697ed92d1423f2c24cc', '1795336794');
insert into secrets (name, sealed, created_at) values ('spam-reports', E'\\x0faf4cd0e7e649fef899a59464b47d3c77d25e5c5ee5153be5036f763287bb0e5e00901641a155d055d4e71ce435729ac2ad32a99b97b2ed6ed09ec5', '1795336794');
insert into settings (key, value, updated_at, updated_by) values ('federation.allowlist_mode', 'false', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.auto_block_threshold', '0.3', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.certificate_validation', 'true', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.enabled', 'true', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('federation.publish_blocklist', 'false', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.enabled', 'true', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.established_tier_duration_hours', '24', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.established_tier_limit', '60', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.new_tier_duration_hours', '6', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.new_tier_limit', '10', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.spam_report_block_threshold', '5', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.spam_score_threshold', '4', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('progressive_trust.trusted_tier_limit', '300', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.burst_allowance', '10', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.enabled', 'true', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.infopackage_uploads_per_day', '50', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.infopackage_uploads_per_hour', '10', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('rate_limiting.window_seconds', '3600', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.accept_invites', 'true', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.allow_time_delay', 'false', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.enabled', 'true', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.mode', '"open"', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.proof_of_work_difficulty', '5000000', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.require_proof_of_work', 'false', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('registration.time_delay_seconds', '120', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.max_message_size', '10485760', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.max_retention_days', '30', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.protocol_version', '"1.0"', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('server.server_name', '"MLS relay"', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.announcement_retention_hours', '24', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.message_queue_bytes_limit', '268435456', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.message_queue_limit', '1000', '1795336793', NULL);
insert into settings (key, value, updated_at, updated_by) values ('storage.metadata_retention_days', '30', '1795336793', NULL);
insert into settings_version (one, version) values ('true', '1');
insert into signing_keys (kid, public_key, sealed_private, created_at, retired_at, revoked_at) values ('WUmcuUqtcUNWI6Wv5IqynXmUro4TUya9f61TgiqCzw8', E'\\x51396a414bf8aaed95d5621649b74dba2b0177f61986fd138843548b5fdee515', E'\\x7a531b634603bee4feab1298dbf7ad2219e38d68bd32a527d879062c4ec2b035d6db4416896641f7bedb19db1a281893f5a7d33c0ad7d3f83fa8b59f', '1795336793', NULL, NULL);
