import { deviceKeysOf } from "../../client/keys.js";
import { hold, same } from "../harness/assertions.js";
import { count, expectBody, expectRefusal, flag, list, optionally, text, whole } from "./server.js";
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
    title: "a wrong signature is INVALID_SIGNATURE (4001), an unknown challenge CHALLENGE_EXPIRED (4011)",
    section: sessions,
    async check(context) {
      const keys = context.adminKeys();
      const forged = await logIn(context, keys, { challenge_signature: "00".repeat(64) });
      expectRefusal(forged, { status: 403, error: "INVALID_SIGNATURE", code: 4001 });
      const challenge = "ab".repeat(32);
      const unknown = await logIn(context, keys, { challenge, challenge_signature: await keys.sign(challenge) });
      expectRefusal(unknown, { status: 410, error: "CHALLENGE_EXPIRED", code: 4011 });
    },
  },
  {
    id: "admin.session",
    title: "an administrator logs in for an hour, extends the session and logs out",
    section: sessions,
    async check(context) {
      const form = {
        admin_token: text,
        expires_at: whole,
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
    title: "the configuration has the groups that the specification names, and a change includes only what it names",
    section: configuration,
    async check(context) {
      const config = expectBody<Record<string, unknown>>(await admin(context, "GET", "/config"), 200, {
        server: { server_name: text, protocol_version: text, max_message_size: whole, max_retention_days: whole },
        registration: {
          enabled: flag,
          require_proof_of_work: flag,
          proof_of_work_difficulty: whole,
          accept_invites: flag,
        },
        progressive_trust: { enabled: flag, new_tier_limit: whole, spam_report_block_threshold: whole },
        federation: { enabled: flag, allowlist_mode: flag, auto_block_threshold: count, publish_blocklist: flag },
        rate_limiting: { enabled: flag, window_seconds: whole, burst_allowance: whole },
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
    title: "metrics of a period, their history and their export have the members that the specification names",
    section: configuration,
    async check(context) {
      expectBody(await admin(context, "GET", "/metrics?period=1h"), 200, {
        period: "1h",
        server: { uptime_seconds: count, version: text, storage_used_gb: count },
        devices: { total: count, by_trust_tier: { new: count, established: count, trusted: count, verified: count } },
        messages: { sent_last_24h: count, queued: count },
        spam: { reports_last_24h: count },
        federation: { active_peers: count, blocked_peers: count },
        performance: { websocket_connections: count },
      });
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
      for (const name of ["svc_devices_total", "svc_messages_sent_total", "svc_spam_reports_24h"])
        hold(exported.text.includes(name), `the export lacks ${name}`);
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
        metrics: { messages_sent: count },
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
    id: "trust.pending",
    title: "devices that wait for verification are listed",
    section: trust,
    async check(context) {
      expectBody(await admin(context, "GET", "/trust/pending"), 200, { pending_devices: list, total_count: count });
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

async function admin(context: SpecificationContext, method: string, path: string, ...body: object[]) {
  const sent = body[0] === undefined ? {} : { body: body[0] };
  return context.server.call(method, `/admin/v1${path}`, { token: await context.adminToken(), ...sent });
}
