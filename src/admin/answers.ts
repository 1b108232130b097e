import type { Reply } from "../../generated/handlers.js";
import type { Backlog, Block, Reputation } from "../federation/model/types.js";
import type { CreatedInvite, ListedInvite } from "../registration/service.js";
import type { DeviceView, ListedDevice } from "./device-views.js";

// What the API for administrators and the commands with `--json` show, spelled alike.

export function showBlock(block: Block): Reply<"listBlockedServers">["body"]["blocked_servers"][number] {
  return {
    domain: block.domain,
    blocked_at: block.blockedAt,
    reason: block.reason,
    blocked_by: block.blockedBy,
    expires_at: block.expiresAt,
    reason_category: block.category,
    severity: block.severity,
  };
}

export function showPeer(known: Reputation): Reply<"listPeers">["body"]["peers"][number] {
  const { spam: spam_reports, rejections: rejected_messages, listings: block_lists } = known.deductions;
  const deductions = { spam_reports, rejected_messages, block_lists };
  return { server_domain: known.domain, reputation: showReputation(known), deductions };
}

export function showReputation(known: Reputation): Reply<"getServerReputation">["body"] {
  return {
    server_domain: known.domain,
    reputation_score: known.score,
    metrics: {
      messages_delivered: known.delivered,
      messages_rejected: known.rejected,
      spam_reports_received: known.spamReports,
      uptime_percentage: known.uptimePercentage,
      average_response_time_ms: known.averageResponseMillis,
      certificate_valid: known.certificateValid,
    },
    federation_status: known.status,
    federated_blocklist_count: known.listings,
    first_contact: known.firstContact,
    last_activity: known.lastActivity,
  };
}

export function showBacklog(backlog: Backlog): Reply<"listOutboxBacklogs">["body"]["destinations"][number] {
  return {
    server_domain: backlog.domain,
    messages: backlog.messages,
    bytes: backlog.bytes,
    oldest_at: backlog.oldestAt,
    last_reached_at: backlog.reachedAt,
    failures: backlog.failures,
    next_attempt_at: backlog.nextAttemptAt,
    last_failed_at: backlog.failedAt,
    problem: backlog.problem,
    sending: backlog.sending,
  };
}

export function showListedDevice({
  device,
  trustState,
}: ListedDevice): Reply<"listDevices">["body"]["devices"][number] {
  return {
    device_id: device.deviceId,
    registered_at: device.registeredAt,
    last_active: device.lastActive,
    trust_tier: trustState.tier,
    admin_verified: device.verified,
    blocked_at: device.blockedAt,
    banned_until: device.bannedUntil,
    rate_limit: trustState.limit,
    spam_reports: device.spamReports,
  };
}

export function showDevice(view: DeviceView): Reply<"getDevice">["body"] {
  const { device, trustState, activity, federation, spam } = view;
  return {
    device_id: device.deviceId,
    registered_at: device.registeredAt,
    age_hours: trustState.ageHours,
    trust_tier: trustState.tier,
    admin_verified: device.verified,
    verified_at: device.verifiedAt,
    verified_by: device.verifiedBy,
    blocked_at: device.blockedAt,
    banned_until: device.bannedUntil,
    metrics: {
      messages_sent: activity.messagesSent,
      messages_received: activity.messagesReceived,
      spam_reports: device.spamReports,
      spam_reports_by_device: device.spamReportsByDevice,
      last_active: device.lastActive,
    },
    rate_limiting: {
      current_limit: view.currentLimit,
      messages_this_hour: view.window?.sent ?? 0,
      reset_at: view.window?.resetAt ?? null,
      custom_limit: view.customLimit?.limit ?? null,
      custom_limit_expires_at: view.customLimit?.expiresAt ?? null,
    },
    spam: { counted_reporters: spam.reporters, score: spam.score, warning: spam.flagged },
    federation: {
      domains_contacted: [...federation.domains],
      federated_messages_sent: federation.sent,
      federated_messages_received: federation.received,
    },
  };
}

export function showInvite(invite: ListedInvite): Reply<"listInvites">["body"]["invites"][number] {
  return {
    invite_id: invite.jti,
    max_uses: invite.maxUses,
    uses: invite.uses,
    domain: invite.domain,
    expires_at: invite.expiresAt,
    created_at: invite.createdAt,
    created_by: invite.createdBy,
    revoked_at: invite.revokedAt,
  };
}

export function showCreatedInvite(made: CreatedInvite, createdBy: string): Reply<"createInvite">["body"] {
  return {
    invite_id: made.jti,
    invite_code: made.code,
    ...(made.handle !== null && { invite_handle: made.handle }),
    max_uses: made.maxUses,
    domain: made.domain,
    expires_at: made.expiresAt,
    created_at: made.createdAt,
    created_by: createdBy,
  };
}
