/**
 * What one module of `src/` may import, and which tables are its own. `check-modules.ts` checks the sources against this
 * table: an import that is not granted fails, and so does a grant that no import uses.
 */
export interface ModulePlan {
  /** Modules whose files it may import. */
  imports: readonly string[];
  /** Tables that no SQL of other modules names, except that of read models. */
  tables?: readonly string[];
  /** Other modules may import all its files, not only `service.ts` and `types.ts`. */
  open?: true;
  /** It also runs in browsers, so it imports nothing of Node.js. */
  browser?: true;
}

/** What nearly every module with tables imports. A module that uses only some of these names them one by one. */
const common = ["protocol", "platform", "platform/cluster", "platform/config", "platform/database"];

export const modules: Readonly<Record<string, ModulePlan>> = {
  protocol: { imports: ["generated"], open: true, browser: true },
  platform: {
    imports: [
      "protocol",
      "platform/auth",
      "platform/cluster",
      "platform/config",
      "platform/database",
      "platform/embedded-postgres",
      "platform/net",
      "platform/rate-limit",
    ],
    open: true,
  },
  "platform/acme": {
    imports: ["protocol", "platform", "platform/cluster", "platform/config", "platform/net"],
    open: true,
  },
  "platform/tracing": { imports: ["platform", "platform/cluster", "platform/config"], open: true },
  "platform/auth": {
    imports: [...common, "platform/concurrency"],
    tables: ["daily_keys", "revoked_sessions", "secrets", "session_cutoffs", "signing_keys", "used_signatures"],
    open: true,
  },
  "platform/cluster": {
    imports: ["protocol", "platform", "platform/config", "platform/database"],
    tables: ["job_runs", "nodes"],
    open: true,
  },
  "platform/concurrency": { imports: ["protocol"], open: true },
  "platform/config": { imports: ["protocol", "platform/net"], open: true },
  "platform/database": {
    imports: ["protocol", "platform", "platform/concurrency", "platform/config"],
    tables: ["schema_migrations"],
    open: true,
  },
  "platform/embedded-postgres": { imports: ["protocol", "platform", "platform/database", "platform/net"], open: true },
  "platform/net": { imports: ["protocol", "platform", "platform/cluster", "platform/config"], open: true },
  "platform/rate-limit": {
    imports: [...common, "platform/auth", "platform/net"],
    tables: ["daily_keys", "ip_bans", "rate_limits"],
    open: true,
  },
  http: {
    imports: [
      "generated",
      "protocol",
      "platform",
      "platform/concurrency",
      "platform/config",
      "platform/database",
      "platform/net",
    ],
  },
  settings: {
    imports: common,
    tables: ["settings", "settings_version"],
  },
  metrics: {
    imports: ["generated", ...common, "platform/net"],
    tables: ["devices", "metric_histograms", "metric_rollups", "metric_snapshots", "node_readings"],
  },
  audit: {
    imports: ["generated", ...common],
    tables: ["audit_entries"],
  },
  health: {
    imports: ["generated", ...common, "settings", "metrics"],
    tables: ["alert_pushes", "alerts", "write_probe"],
  },
  devices: {
    imports: [...common, "platform/auth", "platform/rate-limit", "settings"],
    tables: ["addresses", "block_tombstones", "devices"],
  },
  keypackages: {
    imports: [
      "generated",
      "protocol",
      "platform/auth",
      "platform/cluster",
      "platform/config",
      "platform/database",
      "platform/rate-limit",
      "settings",
      "metrics",
      "devices",
    ],
    tables: ["key_package_accounts", "key_packages"],
  },
  provisioning: {
    imports: ["generated", ...common, "platform/rate-limit", "metrics"],
    tables: ["provisioning_addresses"],
  },
  infopackages: {
    imports: ["generated", ...common, "platform/rate-limit", "settings", "metrics"],
    tables: ["info_package_balance", "info_packages"],
  },
  messages: {
    imports: [
      "generated",
      ...common,
      "platform/auth",
      "platform/concurrency",
      "platform/rate-limit",
      "settings",
      "metrics",
      "messages/ingest",
      "messages/presence",
      "messages/queue",
    ],
  },
  "messages/ingest": {
    imports: [...common, "platform/auth", "platform/concurrency", "settings", "metrics", "messages", "messages/queue"],
    tables: [
      "deduplication",
      "device_federation",
      "earlier_hashes",
      "message_key_days",
      "message_keys",
      "message_keys_other",
      "recent_federation_sends",
      "sending_windows",
      "sent_totals",
    ],
  },
  "messages/presence": {
    imports: [
      "protocol",
      "platform",
      "platform/cluster",
      "platform/concurrency",
      "platform/database",
      "platform/rate-limit",
      "messages",
      "messages/queue",
    ],
  },
  "messages/queue": {
    imports: [...common, "platform/concurrency", "metrics", "messages"],
    tables: ["mailboxes", "messages"],
  },
  federation: {
    imports: [
      "generated",
      ...common,
      "platform/auth",
      "platform/concurrency",
      "platform/net",
      "platform/rate-limit",
      "settings",
      "metrics",
      "audit",
      "messages",
      "federation/inbound",
      "federation/outbox",
      "federation/peers",
      "federation/policy",
    ],
  },
  "federation/inbound": {
    imports: [
      ...common,
      "platform/auth",
      "platform/concurrency",
      "platform/rate-limit",
      "settings",
      "messages",
      "federation/peers",
      "federation/policy",
    ],
    tables: ["federation_origins", "federation_session_chains", "federation_transactions", "used_nonces"],
  },
  "federation/outbox": {
    imports: [
      ...common,
      "platform/concurrency",
      "settings",
      "metrics",
      "audit",
      "messages",
      "federation",
      "federation/peers",
      "federation/policy",
    ],
    tables: ["outbox", "outbox_destinations", "outbox_holds", "outbox_transactions"],
  },
  "federation/peers": {
    imports: ["generated", ...common, "platform/auth", "platform/net", "settings", "federation/policy"],
    tables: ["federation_peer_days", "federation_peers", "federation_spam"],
  },
  "federation/policy": {
    imports: ["generated", ...common, "platform/auth", "settings", "audit", "federation", "federation/peers"],
    tables: [
      "federation_allowlist",
      "federation_blocks",
      "federation_listings",
      "federation_lists",
      "federation_version",
    ],
  },
  registration: {
    imports: ["generated", ...common, "platform/auth", "platform/rate-limit", "settings", "metrics", "devices"],
    tables: ["invite_uses", "invites", "registration_challenges"],
  },
  stream: {
    imports: ["generated", "protocol", "platform", "platform/cluster", "platform/config", "platform/net", "messages"],
  },
  moderation: {
    imports: ["generated", ...common, "platform/auth", "settings", "metrics", "audit", "devices"],
    tables: ["spam_reports"],
  },
  limits: {
    imports: [
      "generated",
      "protocol",
      "platform/auth",
      "platform/cluster",
      "platform/rate-limit",
      "settings",
      "messages",
      "devices",
      "moderation",
    ],
  },
  discovery: { imports: ["generated", "protocol", "platform/auth", "platform/config", "settings"] },
  backup: {
    imports: [...common, "platform/auth"],
    tables: ["backup_state", "backups", "daily_keys", "schema_migrations", "secrets", "signing_keys"],
  },
  admin: {
    imports: [
      "generated",
      ...common,
      "platform/auth",
      "platform/rate-limit",
      "settings",
      "audit",
      "backup",
      "devices",
      "federation",
      "registration",
      "moderation",
    ],
    tables: ["admin_links", "admin_seeds", "admin_sessions", "admin_used_challenges", "admins"],
  },
  sdk: { imports: ["generated", "protocol"], open: true, browser: true },
  console: { imports: ["generated", "protocol", "sdk"], browser: true },
};

/**
 * What is above the modules: the composition root, the process, the command line, and the tools built on top of it. Each may
 * import every module, and of this table what it names. No module imports them, and what serves imports no tools.
 */
export const aboveTheModules: Readonly<Record<string, readonly string[]>> = {
  composition: [],
  "relay.ts": ["composition"],
  "main.ts": ["relay.ts", "cli"],
  cli: ["composition", "main.ts", "tools"],
  tools: ["relay.ts"],
};

/** Folders whose sub-folders are separate modules. */
export const nested = ["platform", "messages", "federation"];

/** Files of a module that only `composition/` imports. */
export const compositionOnly = ["handlers.ts"];

/** The public interface of a module. */
export const publicFiles = ["service.ts", "types.ts"];

/** Files whose SELECT statements may name tables of other modules. */
export const readModels = ["read-model.ts"];
