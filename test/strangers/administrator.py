"""An administrator's tool, written from the interface specification."""

import json

from blake3 import blake3
from device import Device
from ed25519 import public_key, sign
from guesses import HEX64, NUMBER, TOKEN, Answer, Ledger, Server, now, soon

# Null as long as nothing has been measured.
MEASURED = (int, float, type(None))
TIERS = {"new": int, "established": int, "trusted": int, "verified": int}
CONFIG = {
    "server": {"server_name": str, "protocol_version": "1.0", "max_message_size": int, "max_retention_days": int},
    "registration": {
        "enabled": bool, "require_proof_of_work": bool, "proof_of_work_difficulty": int, "allow_time_delay": bool,
        "time_delay_seconds": int, "accept_invites": bool,
    },
    "progressive_trust": {
        "enabled": bool, "new_tier_duration_hours": int, "established_tier_duration_hours": int, "new_tier_limit": 10,
        "established_tier_limit": 60, "trusted_tier_limit": 300, "spam_report_block_threshold": 5,
    },
    "federation": {
        "enabled": bool, "allowlist_mode": bool, "auto_block_threshold": NUMBER, "publish_blocklist": bool,
        "certificate_validation": bool,
    },
    "rate_limiting": {
        "enabled": bool, "window_seconds": 3600, "burst_allowance": 10, "infopackage_uploads_per_hour": 10,
        "infopackage_uploads_per_day": 50,
    },
    "storage": {"message_queue_limit": int, "announcement_retention_hours": int, "metadata_retention_days": int},
}  # fmt: skip
METRICS = {
    "period": "24h",
    "timestamp": soon(0),
    "server": {"uptime_seconds": int, "version": "1.0.0", "cpu_usage_percent": NUMBER, "memory_usage_mb": NUMBER, "storage_used_gb": NUMBER},
    "devices": {"total": int, "active_last_24h": int, "new_last_24h": int, "verified": int, "blocked": int, "by_trust_tier": TIERS},
    "messages": {"sent_last_24h": int, "received_last_24h": int, "queued": int, "expired_last_24h": int, "average_size_bytes": MEASURED},
    "spam": {"reports_last_24h": int, "auto_blocked_devices_last_24h": int, "rate_limited_requests_last_24h": int},
    "federation": {
        "active_peers": int, "blocked_peers": int, "messages_sent_last_24h": int, "messages_received_last_24h": int,
        "failed_deliveries_last_24h": int,
    },
    "performance": {
        "average_delivery_latency_ms": MEASURED, "p95_delivery_latency_ms": MEASURED, "p99_delivery_latency_ms": MEASURED,
        "websocket_connections": int,
    },
}  # fmt: skip
DEVICE = {
    "device_id": HEX64, "registered_at": int, "age_hours": NUMBER, "trust_tier": str, "admin_verified": bool,
    "metrics": {"messages_sent": int, "messages_received": int, "spam_reports": int, "spam_reports_by_device": int, "last_active": int},
    "rate_limiting": {
        "current_limit": int, "messages_this_hour": int, "reset_at": (int, type(None)), "custom_limit": (int, type(None)),
        "custom_limit_expires_at": (int, type(None)),
    },
    "federation": {"domains_contacted": [str], "federated_messages_sent": int, "federated_messages_received": int},
}  # fmt: skip
PENDING = {
    "device_id": HEX64, "registered_at": int, "age_hours": NUMBER, "current_tier": "new", "current_rate_limit": int,
    "messages_sent": int, "messages_received": int, "spam_reports": int, "suggested_action": {"verify", "monitor", "block"},
}  # fmt: skip
# Devices that are verified by one call.
BULK = 1000
HEALTH = {"healthy", "degraded", "unhealthy"}


class Administrator:
    def __init__(self, server: Server, ledger: Ledger, secret: str):
        self.server = server
        self.ledger = ledger
        self.secret = bytes.fromhex(secret)
        self.device_id = blake3(public_key(self.secret)).hex()
        self.token = ""

    def call(self, method: str, path: str, body=None) -> Answer:
        return self.server.call(method, f"/admin/v1{path}", body, self.token)

    def login(self, challenge: str, signed: bytes) -> Answer:
        signature = sign(self.secret, signed).hex()
        body = {"device_id": self.device_id, "challenge": challenge, "challenge_signature": signature, "timestamp": now()}
        return self.call("POST", "/auth", body)


def administer(server: Server, ledger: Ledger, secret: str, devices: list[Device]) -> None:
    admin = Administrator(server, ledger, secret)
    chapters = {
        "logging in": lambda: log_in(admin),
        "configuration": lambda: configuration(admin),
        "metrics and health": lambda: observing(admin),
        "trust": lambda: trust(admin, devices),
        "blocking": lambda: blocking(admin, devices[-1]),
        "federation": lambda: federation(admin),
        "audit": lambda: audit(admin),
        "logging out": lambda: log_out(admin),
    }
    for name, chapter in chapters.items():
        with ledger.chapter(name):
            chapter()


def log_in(admin: Administrator) -> None:
    answered, refused = admin.ledger.answered, admin.ledger.refused
    fresh = {"challenge": HEX64, "expires_at": soon(300)}
    challenge = answered("an administrator gets a challenge", admin.call("GET", "/auth/challenge"), 200, fresh)["challenge"]
    text = "the 64 hex characters of the challenge, as text"
    refused("a signature over the challenge's bytes is refused with the text to sign", admin.login(challenge, bytes.fromhex(challenge)), 401, "INVALID_ADMIN", 4010, text)
    challenge = admin.call("GET", "/auth/challenge")["challenge"]
    shape = {"admin_token": TOKEN, "expires_at": soon(3600), "permissions": ["all"], "admin_level": "admin"}
    admin.token = answered("an administrator logs in", admin.login(challenge, challenge.encode()), 200, shape)["admin_token"]
    refused("a challenge is good once", admin.login(challenge, challenge.encode()), 410, "CHALLENGE_EXPIRED", 4011)
    nobody = Administrator(admin.server, admin.ledger, "11" * 32)
    challenge = admin.call("GET", "/auth/challenge")["challenge"]
    refused("nobody else logs in", nobody.login(challenge, challenge.encode()), 401, "INVALID_ADMIN", 4010)
    shape = {"admin_token": TOKEN, "expires_at": soon(3600)}
    admin.token = answered("an administrator's token is refreshed", admin.call("POST", "/auth/refresh"), 200, shape)["admin_token"]


def configuration(admin: Administrator) -> None:
    answered, refused = admin.ledger.answered, admin.ledger.refused
    answered("the configuration is read", admin.call("GET", "/config"), 200, CONFIG)
    changed = {"config_updated_at": soon(0), "updated_by": admin.device_id, "updated_fields": ["storage.message_queue_limit"], "requires_restart": bool}
    answered("one key is changed", admin.call("PATCH", "/config", {"storage": {"message_queue_limit": 900}}), 200, changed)
    both = {"storage": {"message_queue_limit": 1000, "metadata_retention_days": None}, "server": None}
    answered("null leaves a key as it is", admin.call("PATCH", "/config", both), 200, changed)
    for what, patch in {
        "a value out of range": {"progressive_trust": {"new_tier_limit": 1001}},
        "a value of a wrong type": {"progressive_trust": {"new_tier_limit": "10"}},
        "a group of a wrong type": {"progressive_trust": 10},
        "a flag of a wrong type": {"registration": {"enabled": "yes"}},
        "an unknown key": {"registration": {"colour": "red"}},
    }.items():
        refused(f"{what} is refused", admin.call("PATCH", "/config", patch), 400, "INVALID_CONFIG", 4013)


def observing(admin: Administrator) -> None:
    answered = admin.ledger.answered
    answered("metrics are read", admin.call("GET", "/metrics"), 200, METRICS)
    for period in ("1h", "7d", "30d"):
        answered(f"metrics of {period} are read", admin.call("GET", f"/metrics?period={period}"), 200, {**METRICS, "period": period})
    points = {"data_points": [{"timestamp": int, "value": NUMBER}], "aggregate": {"min": NUMBER, "max": NUMBER, "avg": NUMBER, "total": NUMBER}}
    for metric in ("messages_sent", "active_devices", "spam_reports"):
        series = admin.call("GET", f"/metrics/timeseries?metric={metric}&period=1h&interval=5m")
        answered(f"a series of {metric} is read", series, 200, {"metric": metric, "period": "1h", "interval": "5m", **points})
    names = ("svc_devices_total", "svc_devices_active_24h", "svc_messages_sent_total", "svc_spam_reports_24h", "svc_federation_peers_active")
    export = admin.call("GET", "/metrics/export")
    admin.ledger.note("metrics are exported for Prometheus", export.status == 200 and all(f"\n{name}" in export.text for name in names), export)
    for form in ("json", "csv", "prometheus"):
        export = admin.call("GET", f"/metrics/export?format={form}")
        admin.ledger.note(f"metrics are exported as {form}", export.status == 200 and names[0] in export.text, export)
    component = lambda value: value.get("status") in HEALTH  # noqa: E731
    components = {"database": component, "message_queue": component, "federation": component, "websocket": component}
    health = {"status": HEALTH, "timestamp": soon(0), "version": "1.0.0", "uptime_seconds": int, "components": components, "warnings": list}
    answered("health is read", admin.call("GET", "/health"), 200, health)
    alert = {"id": str, "severity": {"critical", "warning", "info"}, "component": str, "message": str, "started_at": int, "details": dict}
    answered("alerts are read", admin.call("GET", "/alerts"), 200, {"active_alerts": [alert], "total_count": int})


def trust(admin: Administrator, devices: list[Device]) -> None:
    answered, refused = admin.ledger.answered, admin.ledger.refused
    first, second = devices[0].device_id, devices[1].device_id
    verified = {"device_id": first, "trust_tier": "verified", "rate_limit": 300, "verified_at": soon(0), "verified_by": admin.device_id}
    answered("a device is verified", admin.call("POST", "/trust/verify", {"device_id": first, "reason": "a friend"}), 200, verified)
    unknown = {"device_id": "ab" * 32, "reason": "a friend"}
    refused("an unknown device is not verified", admin.call("POST", "/trust/verify", unknown), 404, "DEVICE_NOT_FOUND", 4014)
    bulk = [{"device_id": second, "reason": "a friend"}] + [unknown] * (BULK - 1)
    result = {"device_id": HEX64, "success": bool, "verified_at": (int, type(None))}
    counted = {"verified_count": 1, "failed_count": BULK - 1, "results": [result]}
    answered("many devices are verified at once", admin.call("POST", "/trust/verify-bulk", {"devices": bulk}), 200, counted)
    answered("a verification is taken back by DELETE", admin.call("DELETE", f"/trust/verify/{second}"), 200)
    admin.call("POST", "/trust/verify", {"device_id": second, "reason": "a friend"})
    answered("a verification is taken back by POST", admin.call("POST", "/trust/revoke", {"device_id": second, "reason": "no friend"}), 200)
    third = devices[2].device_id
    limit = {"device_id": third, "custom_rate_limit": 500, "reason": "a bot", "expires_at": None}
    is_set = {"device_id": third, "rate_limit": 500, "custom_limit_set_at": soon(0), "custom_limit_expires_at": None, "set_by": admin.device_id}
    answered("a limit is set for good", admin.call("POST", "/trust/set-rate-limit", limit), 200, is_set)
    until = {**limit, "expires_at": now() + 3600}
    answered("a limit is set for an hour", admin.call("POST", "/trust/set-rate-limit", until), 200, {**is_set, "custom_limit_expires_at": until["expires_at"]})
    del limit["expires_at"]
    answered("a limit is set without saying how long", admin.call("POST", "/trust/set-rate-limit", limit), 200, is_set)
    refused("a limit over 1000 is refused", admin.call("POST", "/trust/set-rate-limit", {**limit, "custom_rate_limit": 1001}), 400, "INVALID_CONFIG", 4012)
    waiting = {"pending_devices": [PENDING], "total_count": int}
    answered("devices that wait for a decision are listed", admin.call("GET", "/trust/pending"), 200, waiting)
    query = "?min_age_hours=0&max_age_hours=24&min_messages=0&max_spam_reports=5"
    listed = answered("devices without messages are listed on demand", admin.call("GET", f"/trust/pending{query}"), 200, waiting)
    admin.ledger.note("the list is complete, or its total says that it is not", listed["total_count"] >= len(listed["pending_devices"]) > 90, listed["total_count"])
    answered("a device's details are read", admin.call("GET", f"/devices/{first}"), 200, DEVICE)
    answered("a device's details are read by its public key", admin.call("GET", f"/devices/{devices[0].public_key}"), 200)
    refused("an unknown device has no details", admin.call("GET", f"/devices/{'ab' * 32}"), 404, "DEVICE_NOT_FOUND", 4014)


def blocking(admin: Administrator, device: Device) -> None:
    """How a device is blocked by hand is beyond the specification; that it stays blocked is not."""
    admin.call("POST", f"/devices/{device.device_id}/block", {"reason": "sends spam"})
    undone = admin.call("POST", f"/devices/{device.device_id}/unblock")
    admin.ledger.refused("a block is not lifted through the API", undone, 404, None, None)
    over = device.send(device.address)
    admin.ledger.refused("a blocked device sends nothing", over, 429, None, 4004)
    admin.ledger.note("its limit is 0", over.body.get("limit") == 0, over)
    admin.ledger.answered("a blocked device still polls", device.poll(), 200)
    admin.ledger.answered("a blocked device still announces", device.announce(), 200)


def federation(admin: Administrator) -> None:
    answered, refused = admin.ledger.answered, admin.ledger.refused
    block = {"server_domain": "spam.example", "reason": "spam"}
    blocked = {"server_domain": "spam.example", "blocked_at": soon(0), "blocked_by": admin.device_id, "reason": "spam", "expires_at": None}
    answered("a server is blocked", admin.call("POST", "/federation/block", block), 200, blocked)
    again = {**block, "expires_at": None}
    answered("a server is blocked for good", admin.call("POST", "/federation/block", again), 200, blocked)
    entry = {"domain": "spam.example", "blocked_at": int, "reason": "spam", "blocked_by": admin.device_id, "expires_at": None}
    answered("blocked servers are listed", admin.call("GET", "/federation/blocklist"), 200, {"blocked_servers": [entry], "total_blocked": 1})
    undone = {"server_domain": "spam.example", "unblocked_at": soon(0), "unblocked_by": admin.device_id}
    answered("a server is unblocked", admin.call("DELETE", "/federation/block/spam.example"), 200, undone)
    refused("a malformed domain is refused", admin.call("POST", "/federation/block", {**block, "server_domain": "no domain"}), 400, "INVALID_ADDRESS", 4005)
    refused("an unknown server has no reputation", admin.call("GET", "/federation/reputation/never.example"), 404, "SERVER_UNREACHABLE", 4007)
    policy = {
        "allowlist_mode": False, "allowlist": [], "auto_block_threshold": 0.3, "require_certificate_validation": True,
        "publish_blocklist": True,
    }  # fmt: skip
    changed = {"policy_updated_at": soon(0), "updated_by": admin.device_id, "current_policy": policy}
    answered("the policy is put", admin.call("PUT", "/federation/policy", policy), 200, changed)
    published = {"server": admin.server.domain, "blocklist_version": "1.0", "last_updated": int, "blocked_servers": list, "signature": str}
    answered("the block list is published", admin.server.call("GET", "/.well-known/svc-blocklist"), 200, published)


def audit(admin: Administrator) -> None:
    answered = admin.ledger.answered
    entry = {
        "id": lambda value: isinstance(value, str) and value.startswith("audit_"),
        "timestamp": int, "action": str, "admin": (str, type(None)), "target": (str, type(None)), "details": dict,
        "ip_address": (str, type(None)), "user_agent": (str, type(None)),
    }  # fmt: skip
    page = {"entries": [entry], "total_count": int, "has_more": bool, "next_offset": (int, type(None))}
    answered("the audit log is read", admin.call("GET", "/audit"), 200, page)
    query = f"?since={now() - 600}&until={now() + 60}&action=device_verified&admin={admin.device_id}&limit=1000&offset=0"
    found = answered("the audit log is searched", admin.call("GET", f"/audit{query}"), 200, page)
    admin.ledger.note("a verification is in the audit log", len(found["entries"]) >= 1, found)
    for action in ("admin_login", "config_updated", "rate_limit_modified", "verification_revoked", "federation_blocked", "federation_unblocked"):
        found = admin.call("GET", f"/audit?action={action}")
        admin.ledger.note(f"{action} is in the audit log", found.status == 200 and len(found["entries"]) >= 1, found)
    export = admin.call("GET", "/audit/export?format=csv")
    admin.ledger.note("the audit log is exported as CSV", export.text.startswith("id,timestamp,action,admin,target,details,ip_address"), export)
    export = admin.call("GET", "/audit/export?format=json")
    admin.ledger.note("the audit log is exported as JSON", "audit_" in json.dumps(export.body), export)


def log_out(admin: Administrator) -> None:
    admin.ledger.answered("an administrator logs out", admin.call("POST", "/auth/logout"), 200, {"message": str})
    admin.ledger.refused("the token is void then", admin.call("GET", "/config"), 401, "INVALID_TOKEN", 4008)
