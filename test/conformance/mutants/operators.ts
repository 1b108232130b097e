import type { Members } from "../../../src/conformance/harness/deviating-proxy.js";
import {
  answers,
  becomes,
  type Mutant,
  onAnswer,
  operationOf,
  parse,
  refuses,
  remembering,
  requests,
} from "./kinds.js";

function isForged({ sent }: { sent: Members }): boolean {
  return sent["challenge_signature"] === "00".repeat(64);
}

/** Mutants of what operators and other servers ask for. */
export const operatorMutants: Readonly<Record<string, Mutant>> = {
  "admin.challenge": remembering(
    () => ({ last: "", challenge: "" }),
    (state) => () => ({
      answer(passing) {
        const operation = operationOf(passing) ?? "";
        const body = parse(passing.body);
        if (operation === "getAdminChallenge" && state.last === operation) {
          passing.body = JSON.stringify({ ...body, challenge: state.challenge });
        }
        if (operation === "getAdminChallenge") state.challenge = body["challenge"];
        state.last = operation;
      },
    }),
  ),
  "admin.stranger": refuses("loginAdmin", "INVALID_ADMIN", "INVALID_TOKEN", (login) => !isForged(login)),
  "admin.signature": refuses("loginAdmin", "INVALID_ADMIN", "INVALID_SIGNATURE", isForged),
  "admin.challenge-once": refuses("loginAdmin", "CHALLENGE_EXPIRED", "CONFLICT"),
  "admin.timestamp": refuses("loginAdmin", "INVALID_REQUEST", "CHALLENGE_EXPIRED"),
  "admin.session": answers("refreshAdminToken", ({ body }) => {
    body["admin_token"] += "x";
  }),
  "admin.config": answers("updateConfig", ({ body }) => {
    body["requires_restart"] = true;
  }),
  "admin.config-range": refuses("updateConfig", "INVALID_CONFIG", "INVALID_REQUEST"),
  "admin.config-everywhere": onAnswer("getDiscovery", ({ passing, body }) => {
    if (String(body["server_name"]).startsWith("Conformance ")) becomes(passing, body, "DATABASE_UNAVAILABLE");
  }),
  "admin.permissions": () => ({
    answer(passing) {
      const body = parse(passing.body);
      if (body["error"] !== "INSUFFICIENT_PERMISSIONS") return;
      becomes(passing, body, "INVALID_REQUEST");
      passing.body = JSON.stringify(body);
    },
  }),
  "admin.sessions": answers("listAdminSessions", ({ body }) => {
    for (const session of body["sessions"]) session.current = false;
  }),
  "admin.conditional": onAnswer("listPeers", ({ passing }) => {
    if (passing.status === 304) passing.status = 200;
  }),
  "admin.peers": refuses("getPeerBlocklist", "NOT_FOUND", "CONFLICT"),
  "admin.backups": remembering(
    () => ({ count: 0 }),
    (state) =>
      onAnswer("listBackups", ({ passing, body }) => {
        // Tokens are refused before; the first answer to an administrator is this rule's.
        if (passing.status === 200 && state.count++ === 0) becomes(passing, body, "DATABASE_UNAVAILABLE");
      }),
  ),
  "admin.backup-start": refuses("startBackup", "CONFLICT", "NOT_FOUND"),

  "trust.verify": refuses("revokeVerification", "CONFLICT", "NOT_FOUND"),
  "trust.verify-bulk": answers("verifyDevices", ({ body }) => {
    body["verified_count"] += 1;
  }),
  "trust.rate-limit": refuses("setRateLimit", "INVALID_RATE_LIMIT", "INVALID_CONFIG"),
  "trust.unknown": refuses("getDevice", "DEVICE_NOT_FOUND", "NOT_FOUND"),
  "trust.spelling": onAnswer("getDevice", ({ passing, body }) => {
    const isSpelled = passing.status === 200 && body["device_id"] !== passing.path.split("/").at(-1);
    if (isSpelled) becomes(passing, body, "DEVICE_NOT_FOUND");
  }),
  "trust.pending": remembering(
    () => new Set<string>(),
    (verified) => () => ({
      answer(passing) {
        const operation = operationOf(passing);
        if (operation === "verifyDevice") verified.add(parse(passing.sent)["device_id"]);
        if (operation !== "listPendingDevices" || passing.status !== 200) return;
        const pending_devices = [...verified].map((device_id) => ({ device_id }));
        passing.body = JSON.stringify({ ...parse(passing.body), pending_devices });
      },
    }),
  ),
  "trust.invites": refuses("revokeInvite", "NOT_FOUND", "CONFLICT"),

  "servers.block": refuses("unblockServer", "NOT_FOUND", "CONFLICT"),
  "servers.blocked-sending": refuses("sendMessage", "FEDERATION_FAILED", "INVALID_ADDRESS"),
  "servers.malformed": refuses("blockServer", "INVALID_ADDRESS", "INVALID_REQUEST"),
  "servers.reputation": refuses("getServerReputation", "SERVER_UNREACHABLE", "NOT_FOUND"),
  "servers.policy": answers("setFederationPolicy", ({ body }) => {
    body["current_policy"].auto_block_threshold = 0.123;
  }),
  "servers.outbox": onAnswer("retryOutbox", ({ passing, body }) => {
    if (passing.status === 200) becomes(passing, body, "NOT_FOUND");
  }),
  "servers.published-list": refuses("getBlocklist", "NOT_FOUND", "CONFLICT"),
  "servers.published": answers("getBlocklist", ({ body }) => {
    body["blocked_servers"] = [];
  }),

  "monitoring.metrics": answers("getMetrics", ({ body, passing }) => {
    if (!passing.path.includes("?")) body["period"] = "7d";
  }),
  "monitoring.timeseries": answers("getMetricsTimeseries", ({ body }) => {
    body["data_points"].reverse();
  }),
  "monitoring.export": onAnswer("exportMetrics", ({ passing }) => {
    if (passing.path.includes("format=csv")) passing.headers["content-type"] = "text/plain";
  }),
  "monitoring.audit": answers("listAuditEntries", ({ body, passing }) => {
    if (passing.path.includes("action=device_verified")) body["entries"][0].action = "admin_login";
  }),
  "monitoring.audit-pages": requests("listAuditEntries", (_, passing) => {
    passing.path = passing.path.replace(/offset=\d+/, "offset=0");
  }),
  "monitoring.audit-export": onAnswer("exportAuditEntries", ({ passing }) => {
    if (passing.path.includes("format=csv")) passing.body = passing.body.replace("id,timestamp", "timestamp,id");
  }),
  "monitoring.health": answers("getHealth", ({ body }) => {
    delete body["components"].websocket;
  }),

  "federation.challenge": answers("createFederationChallenge", ({ body }) => {
    body["expires_at"] += 1_000;
  }),
  "federation.newer-peer": onAnswer("createFederationChallenge", ({ passing, body, sent }) => {
    if (sent["of_later"] === true) becomes(passing, body, "INVALID_REQUEST");
  }),
  "federation.authentication": answers("authenticateServer", ({ body }) => {
    body["expires_at"] = 1;
  }),
  "federation.impostor": refuses(
    "authenticateServer",
    "INVALID_CERTIFICATE",
    "INVALID_REQUEST",
    ({ sent }) => sent["origin_server"] === "other.example",
  ),
  "federation.delivery": answers("deliverTransaction", ({ body, sent }) => {
    if (body["status"] === "partial" && sent["messages"]?.length === 2) body["status"] = "accepted";
  }),
  "federation.shared-ciphertext": answers("deliverTransaction", ({ body, sent }) => {
    if (sent["messages"]?.length === 3) body["accepted_messages"].pop();
  }),
  "federation.attached-ciphertexts": answers("deliverTransaction", ({ body, passing }) => {
    if (!(passing.asked["content-type"] ?? "").startsWith("application/json")) body["accepted_messages"] = [];
  }),
  "federation.repetition": refuses("deliverTransaction", "CONFLICT", "INVALID_REQUEST"),
  "federation.consistency": refuses("deliverTransaction", "INVALID_REQUEST", "CONFLICT", ({ sent, passing }) =>
    isOfAnotherPath(sent, passing.path),
  ),
  "federation.blocked": refuses("deliverTransaction", "SERVER_BLOCKED", "INVALID_TOKEN"),
  "federation.report": refuses("forwardSpamReport", "INVALID_ADDRESS", "INVALID_REQUEST"),
  "federation.reputation": answers("getServerReputation", ({ body }) => {
    body["federation_status"] = "limited";
  }),

  "devices.limits": answers("getLimits", ({ body }) => {
    for (const limit of body["limits"]) limit.remaining = limit.limit + 1;
  }),
  "devices.block": answers("listDevices", ({ body }) => {
    body["devices"] = [];
  }),
  "devices.delete": refuses("getDevice", "DEVICE_NOT_FOUND", "NOT_FOUND"),

  "limits.announcements": onAnswer("announceWithProof", ({ body }) => {
    delete body["reset_at"];
  }),
  "limits.stream-replacements": () => ({ close: (code) => (code === 4029 ? 4009 : code) }),
  "limits.info-packages": onAnswer("uploadInfoPackage", ({ body }) => {
    delete body["retry_after"];
  }),
  "limits.closed": refuses("createRegistrationChallenge", "REGISTRATION_CLOSED", "IP_BANNED"),

  "time.info-package": refuses("getInfoPackage", "NOT_FOUND", "INFOPACKAGE_EXHAUSTED"),
  "time.window": refuses("sendMessage", "RATE_LIMIT_EXCEEDED", "QUEUE_FULL"),
  "time.address": refuses("sendMessage", "ADDRESS_NOT_FOUND", "INVALID_ADDRESS"),
};

function isOfAnotherPath(sent: Members, path: string): boolean {
  return sent["transaction_id"] !== undefined && !path.endsWith(sent["transaction_id"]);
}
