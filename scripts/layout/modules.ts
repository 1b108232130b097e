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

/** What nearly every module with tables imports. A module that uses only some of these names them individually. */
const common = ["protocol", "platform", "platform/config", "database", "node"];

export const modules: Readonly<Record<string, ModulePlan>> = {
  protocol: { imports: ["generated"], open: true, browser: true },
  platform: { imports: ["protocol", "platform/concurrency", "platform/config"], open: true },
  "platform/addresses": { imports: [], open: true },
  "platform/concurrency": { imports: ["protocol"], open: true },
  "platform/config": { imports: ["protocol", "platform/addresses"], open: true },
  "platform/net": { imports: ["platform", "platform/addresses", "platform/config"], open: true },
  "platform/tracing": { imports: ["platform", "platform/concurrency", "platform/config"], open: true },
  process: { imports: ["protocol", "platform", "platform/concurrency"], open: true },
  certificates: {
    imports: ["protocol", "platform", "platform/concurrency", "platform/config", "platform/net"],
    open: true,
  },
  database: { imports: ["protocol", "platform/concurrency", "platform/config"], open: true },
  "database/pool": { imports: ["protocol", "platform", "database"], open: true },
  "database/pipeline": {
    imports: ["protocol", "platform", "platform/concurrency", "database", "database/pool"],
    open: true,
  },
  "database/migrations": { imports: ["platform", "database"], tables: ["knex_migrations"], open: true },
  "database/citus": {
    imports: ["platform", "platform/concurrency", "database", "database/migrations"],
    open: true,
  },
  "database/embedded": { imports: ["protocol", "platform", "platform/net", "database/pool"], open: true },
  node: {
    imports: [
      "protocol",
      "platform",
      "platform/addresses",
      "platform/concurrency",
      "platform/config",
      "database",
      "database/pool",
    ],
    tables: ["job_runs", "nodes", "server_name"],
    open: true,
  },
  auth: {
    imports: [...common, "platform/concurrency"],
    tables: ["daily_keys", "revoked_sessions", "secrets", "session_cutoffs", "signing_keys", "used_signatures"],
    open: true,
  },
  settings: { imports: ["generated", ...common, "database/pool"], tables: ["settings", "settings_version"] },
  limits: {
    imports: ["generated", ...common, "platform/addresses", "auth", "settings"],
    tables: ["daily_keys", "ip_bans", "rate_limits"],
    open: true,
  },
  metrics: {
    imports: ["process", "generated", ...common, "platform/concurrency", "platform/net"],
    tables: ["devices", "metric_histograms", "metric_rollups", "metrics_snapshot", "node_readings"],
  },
  audit: { imports: ["generated", ...common], tables: ["audit_entries"] },
  health: {
    imports: [
      "process",
      "generated",
      ...common,
      "database/migrations",
      "platform/concurrency",
      "platform/net",
      "settings",
      "metrics",
    ],
    tables: ["alert_pushes", "alerts", "write_probe"],
  },
  backup: {
    imports: [...common, "database/pool", "database/migrations", "auth"],
    tables: ["backup_state", "backups", "daily_keys", "knex_migrations", "secrets", "signing_keys"],
  },
  devices: {
    imports: [...common, "platform/concurrency", "auth", "limits", "settings"],
    tables: ["addresses", "block_tombstones", "devices"],
  },
  registration: {
    imports: ["generated", ...common, "auth", "limits", "settings", "metrics", "devices"],
    tables: ["invite_uses", "invites", "registration_challenges"],
  },
  keypackages: {
    imports: [
      "generated",
      "protocol",
      "platform",
      "platform/config",
      "database",
      "database/pool",
      "node",
      "auth",
      "limits",
      "settings",
      "metrics",
      "devices",
      "federation/model",
      "federation",
    ],
    tables: ["key_package_accounts", "key_package_claims", "key_packages"],
  },
  provisioning: {
    imports: ["generated", ...common, "database/pool", "platform/concurrency", "limits", "metrics"],
    tables: ["provisioning_addresses"],
  },
  infopackages: {
    imports: ["generated", ...common, "limits", "settings", "metrics"],
    tables: ["info_package_balance", "info_package_downloads", "info_packages"],
  },
  slots: {
    imports: [
      "generated",
      "audit",
      "protocol",
      "platform",
      "platform/config",
      "platform/concurrency",
      "database",
      "database/pipeline",
      "node",
      "auth",
      "limits",
      "settings",
      "metrics",
      "devices",
      "federation/model",
      "federation",
    ],
    tables: ["slot_balance", "slot_key_database", "slots"],
  },
  blobs: {
    imports: [
      "generated",
      "protocol",
      "platform",
      "platform/addresses",
      "platform/concurrency",
      "platform/config",
      "database",
      "node",
      "auth",
      "limits",
      "settings",
      "metrics",
      "devices",
    ],
    tables: ["blob_balance", "blob_downloads", "blobs"],
  },
  "messages/model": { imports: ["protocol", "platform/config", "database"] },
  "messages/queue": {
    imports: ["process", ...common, "database/pipeline", "platform/concurrency", "metrics", "messages/model"],
    tables: ["queues", "messages"],
  },
  "messages/presence": {
    imports: [...common, "database/pool", "platform/concurrency", "limits", "messages/model", "messages/queue"],
  },
  "messages/ingest": {
    imports: [
      "process",
      ...common,
      "database/pipeline",
      "platform/concurrency",
      "auth",
      "settings",
      "limits",
      "metrics",
      "messages/model",
      "messages/queue",
    ],
    tables: [
      "device_federation",
      "message_key_days",
      "message_keys",
      "message_keys_default",
      "message_keys_with_expiry",
      "recent_federation_sends",
      "sending_windows",
      "sent_totals",
    ],
  },
  messages: {
    imports: [
      "generated",
      "protocol",
      "platform",
      "platform/concurrency",
      "database",
      "database/pool",
      "database/pipeline",
      "node",
      "auth",
      "limits",
      "settings",
      "metrics",
      "messages/model",
      "messages/queue",
      "messages/presence",
      "messages/ingest",
    ],
  },
  "federation/model": { imports: ["generated", "protocol", "platform/config", "database", "audit"] },
  "federation/peers": {
    imports: [
      "certificates",
      "generated",
      ...common,
      "platform/concurrency",
      "platform/net",
      "auth",
      "limits",
      "settings",
      "federation/model",
    ],
    tables: [
      "federation_allowlist",
      "federation_blocks",
      "federation_peer_blocklist_entries",
      "federation_peer_blocklists",
      "federation_peer_days",
      "federation_peers",
      "federation_policy_version",
      "federation_spam_reporters",
    ],
  },
  "federation/policy": {
    imports: [
      "generated",
      "protocol",
      "platform",
      "database",
      "node",
      "auth",
      "settings",
      "audit",
      "federation/model",
      "federation/peers",
    ],
  },
  "federation/inbound": {
    imports: [
      "certificates",
      "protocol",
      "platform",
      "platform/concurrency",
      "database",
      "node",
      "auth",
      "limits",
      "settings",
      "messages/model",
      "messages",
      "federation/model",
      "federation/peers",
      "federation/policy",
    ],
    tables: ["federation_origins", "federation_session_chains", "federation_transactions", "used_nonces"],
  },
  "federation/outbox": {
    imports: [
      ...common,
      "database/pool",
      "database/pipeline",
      "platform/concurrency",
      "settings",
      "metrics",
      "audit",
      "messages/model",
      "federation/model",
      "federation/peers",
    ],
    tables: ["outbox", "outbox_destinations", "outbox_holds", "outbox_transactions"],
  },
  federation: {
    imports: [
      "certificates",
      "generated",
      ...common,
      "database/pool",
      "database/pipeline",
      "platform/concurrency",
      "auth",
      "limits",
      "settings",
      "metrics",
      "audit",
      "messages",
      "federation/model",
      "federation/peers",
      "federation/policy",
      "federation/inbound",
      "federation/outbox",
    ],
  },
  push: {
    imports: [
      "generated",
      ...common,
      "platform/concurrency",
      "auth",
      "limits",
      "settings",
      "metrics",
      "devices",
      "messages/model",
    ],
    tables: ["push_services", "push_subscriptions"],
  },
  moderation: {
    imports: ["generated", ...common, "auth", "limits", "settings", "metrics", "audit", "devices"],
    tables: ["spam_reports"],
  },
  stream: {
    imports: [
      "process",
      "generated",
      "protocol",
      "platform",
      "platform/config",
      "platform/net",
      "node",
      "messages/model",
      "messages",
    ],
  },
  discovery: { imports: ["generated", "protocol", "platform/config", "auth", "settings"] },
  client: { imports: ["generated", "protocol"], open: true, browser: true },
  "groups/encoding": { imports: ["client", "protocol"], open: true, browser: true },
  "groups/judging": { imports: ["client", "protocol"], open: true, browser: true },
  "groups/mls": { imports: ["client", "protocol", "groups/encoding", "groups/judging"], open: true, browser: true },
  "groups/store": { imports: ["client", "protocol", "groups/encoding", "groups/mls"], open: true, browser: true },
  "groups/search": { imports: ["groups/store"], open: true, browser: true },
  "groups/sending": {
    imports: ["client", "protocol", "groups/encoding", "groups/mls", "groups/store"],
    open: true,
    browser: true,
  },
  "groups/membership": {
    imports: ["client", "protocol", "groups/encoding", "groups/mls", "groups/store", "groups/sending"],
    open: true,
    browser: true,
  },
  "groups/devices": {
    imports: [
      "client",
      "protocol",
      "groups/encoding",
      "groups/mls",
      "groups/store",
      "groups/sending",
      "groups/membership",
    ],
    open: true,
    browser: true,
  },
  "groups/recovery": {
    imports: [
      "client",
      "protocol",
      "groups/encoding",
      "groups/mls",
      "groups/store",
      "groups/sending",
      "groups/membership",
    ],
    open: true,
    browser: true,
  },
  "groups/profiles": {
    imports: [
      "client",
      "groups/encoding",
      "groups/mls",
      "groups/store",
      "groups/sending",
      "groups/membership",
      "groups/devices",
    ],
    open: true,
    browser: true,
  },
  groups: {
    imports: [
      "protocol",
      "client",
      "groups/encoding",
      "groups/mls",
      "groups/store",
      "groups/sending",
      "groups/membership",
      "groups/devices",
      "groups/profiles",
      "groups/search",
      "groups/recovery",
    ],
    open: true,
    browser: true,
  },
  "groups/push": {
    imports: [
      "protocol",
      "client",
      "groups/encoding",
      "groups/mls",
      "groups/store",
      "groups/sending",
      "groups/membership",
      "groups/devices",
    ],
    open: true,
    browser: true,
  },
  "groups/react-native": {
    imports: ["protocol", "client", "groups", "groups/store"],
    open: true,
    browser: true,
  },
  "groups/mcp": { imports: ["groups", "groups/encoding"] },
  http: {
    imports: [
      "generated",
      "protocol",
      "platform",
      "platform/config",
      "database",
      "platform/addresses",
      "platform/concurrency",
      "platform/net",
    ],
  },
  admin: {
    imports: [
      "generated",
      ...common,
      "auth",
      "limits",
      "settings",
      "audit",
      "backup",
      "blobs",
      "devices",
      "registration",
      "federation/model",
      "federation",
      "moderation",
      "push",
    ],
    tables: ["admin_links", "admin_seeds", "admin_sessions", "admin_used_challenges", "admins"],
  },
  console: { imports: ["generated", "protocol", "client"], browser: true },
  app: { imports: ["client", "groups", "groups/push"], browser: true },
};

/**
 * What is above the modules: the composition root, the process, the command line, and the conformance suite. Each may import
 * every module, and of this table what it names. No module imports them.
 */
export const aboveTheModules: Readonly<Record<string, readonly string[]>> = {
  composition: [],
  "relay.ts": ["composition"],
  cli: ["composition", "relay.ts"],
  conformance: [],
};

/** Folders whose sub-folders are separate modules. */
export const nested = ["platform", "database", "messages", "federation", "groups"];

/** Files of a module that only `composition/` imports. */
export const compositionOnly = ["handlers.ts"];

/** Packages that only `database/` imports, types included. */
export const driverPackages = ["knex", "pg", "pg-copy-streams"];

/** The public interface of a module. */
export const publicFiles = ["service.ts", "types.ts"];

/** Files whose SELECT statements may name tables of other modules. */
export const readModels = ["read-model.ts"];
