import { deviceKeysOf } from "../../client/crypto/keys.js";
import { hourSeconds, minuteSeconds } from "../../protocol/units.js";
import { hold, same } from "../harness/assertions.js";
import { pair } from "./messages.js";
import { count, expectBody, expectRefusal, flag, fraction, list, optionally, text, whole, within } from "./server.js";
import type { SpecificationContext, SpecificationRule } from "./types.js";

const sessions = "Admin authentication";
const configuration = "Admin configuration, metrics, audit, health";
const trust = "Trust management (admin)";
const federation = "Federation management (admin, permission block_federation)";
const reason = "conformance suite";

export const administrationRules: readonly SpecificationRule[] = [
  {
    id: "admin.stranger",
    title: "a key that is not on the list of administrators is INVALID_ADMIN (4010)",
    section: sessions,
    async check(context) {
      const keys = deviceKeysOf(Buffer.from(context.server.randomHex(32), "hex"));
      expectRefusal(await logIn(context, keys), { status: 401, error: "INVALID_ADMIN", code: 4010 });
    },
  },
  {
    id: "admin.signature",
    title:
      "a wrong signature is INVALID_SIGNATURE (4001) or INVALID_ADMIN (4010), an unknown challenge CHALLENGE_EXPIRED (4011)",
    section: sessions,
    async check(context) {
      const keys = context.adminKeys();
      const forged = await logIn(context, keys, { challenge_signature: "00".repeat(64) });
      const alike = { status: 401, error: "INVALID_ADMIN", code: 4010 };
      // A server may answer as it answers strangers, who then do not learn who is an administrator.
      expectRefusal(forged, forged.status === 401 ? alike : { status: 403, error: "INVALID_SIGNATURE", code: 4001 });
      const challenge = "ab".repeat(32);
      const unknown = await logIn(context, keys, { challenge, challenge_signature: await keys.sign(challenge) });
      expectRefusal(unknown, { status: 410, error: "CHALLENGE_EXPIRED", code: 4011 });
    },
  },
  {
    id: "admin.session",
    title: "an administrator logs in for an hour, extends the session and logs out, which ends it",
    section: sessions,
    async check(context) {
      const form = {
        admin_token: text,
        expires_at: within(context.server, hourSeconds, minuteSeconds),
        permissions: list,
        admin_level: /^(admin|moderator|viewer)$/,
      };
      const login = expectBody<{ admin_token: string }>(await logIn(context, context.adminKeys()), 200, form);
      const refreshed = await context.server.call("POST", "/admin/v1/auth/refresh", { token: login.admin_token });
      const token = expectBody<{ admin_token: string }>(refreshed, 200, {
        admin_token: text,
        expires_at: whole,
      }).admin_token;
      expectBody(await context.server.call("POST", "/admin/v1/auth/logout", { token }), 200, { message: text });
      expectRefusal(await context.server.call("GET", "/admin/v1/config", { token }));
    },
  },
  {
    id: "admin.permissions",
    title: "an administrator who lacks a permission gets INSUFFICIENT_PERMISSIONS (4012)",
    section: "Authentication",
    async check(context) {
      const { server } = context;
      const keys = context.viewerKeys();
      const { admin_token: token } = expectBody<{ admin_token: string }>(await logIn(context, keys), 200);
      const body = { device_id: "ab".repeat(32), reason };
      const answer = await server.call("POST", "/admin/v1/trust/verify", { token, body });
      expectRefusal(answer, { error: "INSUFFICIENT_PERMISSIONS", code: 4012 });
    },
  },
  {
    id: "admin.token",
    title: "administration needs an administrator's token",
    section: "Authentication",
    async check(context) {
      const { token } = await context.alice();
      for (const wrong of [undefined, token]) {
        expectRefusal(await context.server.call("GET", "/admin/v1/config", { token: wrong }));
      }
    },
  },
  {
    id: "admin.config",
    title: "the configuration has the specified groups, and a change includes only what it names",
    section: configuration,
    async check(context) {
      const config = expectBody<Record<string, unknown>>(await admin(context, "GET", "/config"), 200, {
        server: { server_name: text, protocol_version: text, max_message_size: whole, max_retention_days: whole },
        registration: {
          enabled: flag,
          require_proof_of_work: flag,
          proof_of_work_difficulty: whole,
          allow_time_delay: flag,
          time_delay_seconds: whole,
          accept_invites: flag,
        },
        progressive_trust: {
          enabled: flag,
          new_tier_duration_hours: whole,
          established_tier_duration_hours: whole,
          new_tier_limit: whole,
          established_tier_limit: whole,
          trusted_tier_limit: whole,
          spam_report_block_threshold: whole,
        },
        federation: {
          enabled: flag,
          allowlist_mode: flag,
          auto_block_threshold: fraction,
          publish_blocklist: flag,
          certificate_validation: flag,
        },
        rate_limiting: {
          enabled: flag,
          window_seconds: whole,
          burst_allowance: whole,
          infopackage_uploads_per_hour: whole,
          infopackage_uploads_per_day: whole,
        },
        storage: { message_queue_limit: whole, announcement_retention_hours: whole, metadata_retention_days: whole },
      });
      const server_name = (config["server"] as { server_name: string }).server_name;
      const changed = await admin(context, "PATCH", "/config", { server: { server_name } });
      expectBody(changed, 200, {
        config_updated_at: whole,
        updated_by: text,
        updated_fields: list,
        requires_restart: flag,
      });
      same(expectBody(await admin(context, "GET", "/config"), 200), config, "the configuration");
    },
  },
  {
    id: "admin.config-range",
    title: "a value out of range is INVALID_CONFIG (4013)",
    section: "Errors",
    async check(context) {
      const answer = await admin(context, "PATCH", "/config", { progressive_trust: { new_tier_limit: 1001 } });
      expectRefusal(answer, { error: "INVALID_CONFIG", code: 4013 });
    },
  },
  {
    id: "admin.metrics",
    title: "metrics of a period, their history and their export have the specified members",
    section: configuration,
    async check(context) {
      expectBody(await admin(context, "GET", "/metrics?period=1h"), 200, {
        period: "1h",
        timestamp: whole,
        server: {
          ...{ uptime_seconds: count, version: text, storage_used_gb: count },
          ...{ cpu_usage_percent: optionally(count), memory_usage_mb: optionally(count) },
        },
        devices: {
          ...counts("total", "active_last_24h", "new_last_24h", "verified", "blocked"),
          by_trust_tier: counts("new", "established", "trusted", "verified"),
        },
        messages: {
          ...counts("sent_last_24h", "received_last_24h", "queued", "expired_last_24h"),
          average_size_bytes: optionally(count),
        },
        spam: counts("reports_last_24h", "auto_blocked_devices_last_24h", "rate_limited_requests_last_24h"),
        federation: {
          ...counts("active_peers", "blocked_peers", "messages_sent_last_24h", "messages_received_last_24h"),
          failed_deliveries_last_24h: count,
        },
        performance: {
          websocket_connections: count,
          average_delivery_latency_ms: optionally(count),
          p95_delivery_latency_ms: optionally(count),
          p99_delivery_latency_ms: optionally(count),
        },
      });
      for (const period of ["24h", "7d", "30d"])
        expectBody(await admin(context, "GET", `/metrics?period=${period}`), 200, { period });
      const path = "/metrics/timeseries?metric=messages_sent&period=1h&interval=5m";
      const points = [{ timestamp: whole, value: count }] as const;
      const aggregate = {
        min: optionally(count),
        max: optionally(count),
        avg: optionally(count),
        total: optionally(count),
      };
      expectBody(await admin(context, "GET", path), 200, { metric: "messages_sent", data_points: points, aggregate });
      const exported = await admin(context, "GET", "/metrics/export");
      const gauges = [
        "svc_devices_total",
        "svc_devices_active_24h",
        "svc_spam_reports_24h",
        "svc_federation_peers_active",
      ];
      for (const name of [...gauges, "svc_messages_sent_total"])
        hold(exported.text.includes(name), `the export lacks ${name}`);
      for (const format of ["json", "csv"]) {
        const { status } = await admin(context, "GET", `/metrics/export?format=${format}`);
        hold(status === 200, `the export as ${format} was answered ${status}`);
      }
    },
  },
  {
    id: "admin.audit",
    title: "the audit log is listed and exported",
    section: configuration,
    async check(context) {
      const entries = [{ id: /^audit_/, timestamp: whole, action: text }] as const;
      const form = { entries, total_count: count, has_more: flag, next_offset: optionally(whole) };
      expectBody(await admin(context, "GET", "/audit?limit=5"), 200, form);
      const { text: csv } = await admin(context, "GET", "/audit/export?format=csv");
      const columns = ["id", "timestamp", "action", "admin", "target", "details", "ip_address"];
      same(csv.split(/\r?\n/)[0]?.split(",").slice(0, columns.length), columns, "the columns");
    },
  },
  {
    id: "admin.audit-record",
    title: "an administrator's action is in the audit log with who, what, and from where, and is found by its action",
    section: configuration,
    async check(context) {
      const { deviceId: device_id } = await context.bob();
      expectBody(await admin(context, "POST", "/trust/verify", { device_id, reason }), 200);
      const query = `action=device_verified&target=${device_id}&limit=1`;
      const entry = { id: /^audit_/, timestamp: whole, action: "device_verified", admin: context.adminKeys().deviceId };
      const origin = { target: device_id, details: isObject, ip_address: text, user_agent: optionally(isText) };
      const form = { entries: [{ ...entry, ...origin }] as const };
      const { entries } = expectBody<{ entries: unknown[] }>(await admin(context, "GET", `/audit?${query}`), 200, form);
      same(entries.length, 1, "entries");
    },
  },
  {
    id: "admin.health",
    title: "health has a status for each component, and alerts are listed",
    section: configuration,
    async check(context) {
      const status = /^(healthy|degraded|unhealthy)$/;
      const component = { status };
      const components = { database: component, message_queue: component, federation: component, websocket: component };
      const form = { status, timestamp: whole, version: text, uptime_seconds: count, components, warnings: list };
      expectBody(await admin(context, "GET", "/health"), 200, form);
      expectBody(await admin(context, "GET", "/alerts"), 200, { active_alerts: list, total_count: count });
    },
  },
  {
    id: "trust.verify",
    title: "a device is verified, alone and in a list, and its details say so",
    section: trust,
    async check(context) {
      const { deviceId: device_id } = await context.bob();
      const verified = await admin(context, "POST", "/trust/verify", { device_id, reason });
      expectBody(verified, 200, {
        device_id,
        trust_tier: "verified",
        rate_limit: count,
        verified_at: whole,
        verified_by: text,
      });
      const devices = [
        { device_id, reason },
        { device_id: "ab".repeat(32), reason },
      ];
      const many = await admin(context, "POST", "/trust/verify-bulk", { devices });
      expectBody(many, 200, { verified_count: 1, failed_count: 1, results: [{ device_id: text, success: flag }] });
      const form = {
        device_id,
        registered_at: whole,
        admin_verified: true,
        trust_tier: "verified",
        age_hours: count,
        metrics: {
          ...counts("messages_sent", "messages_received", "spam_reports", "spam_reports_by_device"),
          last_active: optionally(whole),
        },
        rate_limiting: {
          ...{ current_limit: whole, messages_this_hour: count, reset_at: optionally(whole) },
          ...{ custom_limit: optionally(whole), custom_limit_expires_at: optionally(whole) },
        },
        federation: {
          domains_contacted: list,
          ...counts("federated_messages_sent", "federated_messages_received"),
        },
      };
      expectBody(await admin(context, "GET", `/devices/${device_id}`), 200, form);
    },
  },
  {
    id: "trust.rate-limit",
    title: "a custom limit is set; one outside 0 to 1000 has the code 4012, an unknown device DEVICE_NOT_FOUND (4014)",
    section: trust,
    async check(context) {
      const { deviceId: device_id } = await context.bob();
      const set = (body: object) => admin(context, "POST", "/trust/set-rate-limit", { device_id, reason, ...body });
      expectBody(await set({ custom_rate_limit: 1000 }), 200, { device_id, rate_limit: 1000, set_by: text });
      expectRefusal(await set({ custom_rate_limit: 1001 }), { code: 4012 });
      const unknown = await set({ device_id: "ab".repeat(32), custom_rate_limit: 5 });
      expectRefusal(unknown, { error: "DEVICE_NOT_FOUND", code: 4014 });
    },
  },
  {
    id: "trust.unknown",
    title: "verifying an unknown device is DEVICE_NOT_FOUND (4014)",
    section: trust,
    async check(context) {
      const answer = await admin(context, "POST", "/trust/verify", { device_id: "ab".repeat(32), reason });
      expectRefusal(answer, { error: "DEVICE_NOT_FOUND", code: 4014 });
    },
  },
  {
    id: "trust.limit-applies",
    title: "a device whose custom limit is 0 sends nothing, and sends again with a higher one",
    section: "Trust tier (per device_id)",
    async check(context) {
      const [alice, bob] = await pair(context);
      const { deviceId: device_id } = bob;
      const set = async (custom_rate_limit: number) =>
        expectBody(
          await admin(context, "POST", "/trust/set-rate-limit", { device_id, reason, custom_rate_limit }),
          200,
        );
      await set(0);
      try {
        const { status } = await bob.call("POST", "/v1/messages", { body: bob.message(alice.address) });
        hold(status >= 400 && status < 500, `a message was answered ${status}`);
      } finally {
        await set(1000);
      }
      expectBody(await bob.send(alice.address), 202);
    },
  },
  {
    id: "trust.pending",
    title: "devices that wait for verification are listed",
    section: trust,
    async check(context) {
      const query = "min_age_hours=0&max_age_hours=24&min_messages=0&max_spam_reports=5";
      const device = {
        ...{ device_id: text, registered_at: whole, age_hours: count, current_tier: text, current_rate_limit: whole },
        ...counts("messages_sent", "messages_received", "spam_reports"),
        suggested_action: /^(verify|monitor|block)$/,
      };
      const form = { pending_devices: [device] as const, total_count: count };
      expectBody(await admin(context, "GET", `/trust/pending?${query}`), 200, form);
    },
  },
  {
    id: "servers.block",
    title: "a server is blocked, listed and unblocked; a malformed domain is INVALID_ADDRESS (4005)",
    section: federation,
    async check(context) {
      const server_domain = `conformance-${context.server.randomHex(4)}.invalid`;
      const blocked = await admin(context, "POST", "/federation/block", { server_domain, reason });
      expectBody(blocked, 200, { server_domain, blocked_at: whole, blocked_by: text, reason });
      const listed = await admin(context, "GET", "/federation/blocklist");
      const form = { blocked_servers: [{ domain: text, blocked_at: whole }] as const, total_blocked: count };
      expectBody(listed, 200, form);
      hold(listed.text.includes(server_domain), "it is not listed");
      const ended = await admin(context, "DELETE", `/federation/block/${server_domain}`);
      expectBody(ended, 200, { server_domain, unblocked_at: whole, unblocked_by: text });
      const malformed = await admin(context, "POST", "/federation/block", { server_domain: "no domain", reason });
      expectRefusal(malformed, { error: "INVALID_ADDRESS", code: 4005 });
    },
  },
  {
    id: "servers.reputation",
    title: "the reputation of an unknown server is SERVER_UNREACHABLE (4007)",
    section: federation,
    async check(context) {
      const answer = await admin(context, "GET", "/federation/reputation/conformance.invalid");
      expectRefusal(answer, { error: "SERVER_UNREACHABLE", code: 4007 });
    },
  },
];

/** Forms of members that are all counts. */
function counts(...names: readonly string[]): Readonly<Record<string, typeof count>> {
  return Object.fromEntries(names.map((name) => [name, count]));
}

const isText = (value: unknown): boolean => typeof value === "string";
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Logs in; members of `changes` replace the right ones. */
export async function logIn(
  { server }: SpecificationContext,
  keys: ReturnType<SpecificationContext["adminKeys"]>,
  changes = {},
) {
  const asked = await server.call("GET", "/admin/v1/auth/challenge");
  const { challenge } = expectBody<{ challenge: string }>(asked, 200, {
    challenge: /^[0-9a-f]{64}$/,
    expires_at: whole,
  });
  const challenge_signature = await keys.sign(challenge);
  const body = { device_id: keys.deviceId, challenge, challenge_signature, timestamp: server.nowSeconds(), ...changes };
  return server.call("POST", "/admin/v1/auth", { body });
}

export async function admin(context: SpecificationContext, method: string, path: string, ...body: object[]) {
  const sent = body[0] === undefined ? {} : { body: body[0] };
  return context.server.call(method, `/admin/v1${path}`, { token: await context.adminToken(), ...sent });
}
