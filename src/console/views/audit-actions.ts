import type { CallInput } from "../../client/connection/calls.js";

export type AuditQuery = NonNullable<CallInput<"listAuditEntries">["query"]>;
export type AuditAction = NonNullable<AuditQuery["action"]>;

/** Every action of the contract; the compiler compares the two. */
const known: Readonly<Record<AuditAction, true>> = {
  device_verified: true,
  verification_revoked: true,
  rate_limit_modified: true,
  federation_blocked: true,
  federation_unblocked: true,
  config_updated: true,
  admin_login: true,
  admin_logout: true,
  admin_added: true,
  admin_permissions_changed: true,
  admin_removed: true,
  spam_reported: true,
  device_blocked: true,
  device_banned: true,
  device_unblocked: true,
  device_deleted: true,
  device_push_tested: true,
  ip_unbanned: true,
  invite_created: true,
  invite_revoked: true,
  outbox_retried: true,
  outbox_purged: true,
  key_rotated: true,
  key_revoked: true,
  master_key_rotated: true,
  admin_session_ended: true,
  admin_link_created: true,
  backup_requested: true,
  blob_deleted: true,
  clock_accepted: true,
  database_restored: true,
  slot_key_replaced: true,
};

export const auditActions = Object.keys(known) as AuditAction[];

/** Who performs an action that administrators do not, or not alone (docs/reference/audit-actions.md). */
export const authors: Readonly<Partial<Record<AuditAction, "device" | "relay" | "operator">>> = {
  spam_reported: "device",
  device_banned: "relay",
  admin_link_created: "operator",
  admin_permissions_changed: "operator",
  admin_removed: "operator",
  device_blocked: "operator",
  device_unblocked: "operator",
  device_deleted: "operator",
  blob_deleted: "operator",
  ip_unbanned: "operator",
  federation_unblocked: "operator",
  outbox_retried: "operator",
  outbox_purged: "operator",
  invite_created: "operator",
  invite_revoked: "operator",
  key_revoked: "operator",
  master_key_rotated: "operator",
  clock_accepted: "operator",
  database_restored: "operator",
  slot_key_replaced: "relay",
};
