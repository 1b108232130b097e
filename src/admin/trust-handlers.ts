import type { AdminTrustHandlers, Reply } from "../../generated/handlers.js";
import { errorCatalogue } from "../protocol/errors.js";
import { actorOf, auditedBy } from "./actor.js";
import { showDevice, showListedDevice } from "./answers.js";
import type { DeviceActions } from "./device-actions.js";
import type { DeviceViews } from "./device-views.js";
import { pageOf } from "./page.js";
import { maxPendingExamined, type PendingDevices, type PendingView } from "./pending-devices.js";
import type { BulkOutcome, Decision, Trust } from "./trust.js";

/** Decisions about devices, and the information that they are based on, on the wire. */
export function createTrustHandlers({
  trust,
  views,
  pending,
  devices,
}: {
  trust: Trust;
  views: DeviceViews;
  pending: PendingDevices;
  devices: DeviceActions;
}): AdminTrustHandlers {
  return {
    ...createDeviceViewHandlers(views, pending),
    ...createDeviceActionHandlers(devices),
    async verifyDevice(call) {
      const { device_id: deviceId, reason } = call.body;
      const { at, trustState, ...decided } = await trust.verify({ deviceId, reason }, actorOf(call));
      return call.reply({
        status: 200,
        body: {
          device_id: decided.deviceId,
          trust_tier: "verified",
          rate_limit: trustState.limit,
          verified_at: at,
          verified_by: call.principal.deviceId,
        },
      });
    },
    async verifyDevices(call) {
      const requests = call.body.devices.map(({ device_id: deviceId, reason }) => ({ deviceId, reason }));
      const outcomes = await trust.verifyAll(requests, actorOf(call));
      const results = outcomes.map((outcome, index) => bulkResult(requests[index]?.deviceId ?? "", outcome));
      const verified_count = results.filter(({ success }) => success).length;
      const failed_count = results.length - verified_count;
      return call.reply({ status: 200, body: { verified_count, failed_count, results } });
    },
    async revokeVerification(call) {
      const { device_id: deviceId, reason } = call.body;
      const revoked = await trust.revoke({ deviceId, reason }, actorOf(call));
      return call.reply({ status: 200, body: revokedVerification(revoked, call.principal.deviceId) });
    },
    async deleteVerification(call) {
      const revoked = await trust.revoke({ deviceId: call.params.device_id }, actorOf(call));
      return call.reply({ status: 200, body: revokedVerification(revoked, call.principal.deviceId) });
    },
    async setRateLimit(call) {
      const { device_id: deviceId, reason, custom_rate_limit: limit, expires_at: expiresAt = null } = call.body;
      const decision = await trust.setLimit({ deviceId, reason, limit, expiresAt }, actorOf(call));
      return call.reply({
        status: 200,
        body: {
          device_id: decision.deviceId,
          rate_limit: limit ?? decision.trustState.limit,
          custom_limit_set_at: decision.at,
          custom_limit_expires_at: decision.expiresAt,
          set_by: call.principal.deviceId,
        },
      });
    },
  };
}

/** Devices as administrators see them, on the wire. */
function createDeviceViewHandlers(
  views: DeviceViews,
  pending: PendingDevices,
): Pick<AdminTrustHandlers, "listPendingDevices" | "listDevices" | "getDevice"> {
  return {
    async listPendingDevices(call) {
      const { query } = call;
      const { devices, total, complete } = await pending.list({
        minAgeHours: query.min_age_hours ?? 0,
        maxAgeHours: query.max_age_hours ?? 24,
        minMessages: query.min_messages ?? 10,
        maxSpamReports: query.max_spam_reports ?? 0,
        limit: query.limit ?? maxPendingExamined,
      });
      const pending_devices = devices.map(pendingDevice);
      return call.reply({ status: 200, body: { pending_devices, total_count: total, complete } });
    },
    async listDevices(call) {
      const { address, id_prefix: idPrefix = "", state = "any", sort = "-last_active" } = call.query;
      const { limit = 100, offset = 0 } = call.query;
      const { items, ...next } =
        address === undefined
          ? pageOf(await views.list({ idPrefix, state, sort, limit: limit + 1, offset }), { limit, offset })
          : pageOf([(await views.atAddress(address)) ?? []].flat(), { limit: 1, offset: 0 });
      return call.reply({ status: 200, body: { devices: items.map(showListedDevice), ...next } });
    },
    async getDevice(call) {
      return call.reply({ status: 200, body: showDevice(await views.detail(call.params.device_id)) });
    },
  };
}

/** What administrators do to devices, on the wire. */
function createDeviceActionHandlers(
  devices: DeviceActions,
): Pick<AdminTrustHandlers, "blockDevice" | "deleteDevice" | "testDevicePush"> {
  return {
    async blockDevice(call) {
      const done = await devices.block(call.params.device_id, call.body.reason, auditedBy(actorOf(call)));
      const body = { device_id: done.deviceId, blocked_at: done.at, blocked_by: call.principal.deviceId };
      return call.reply({ status: 200, body });
    },
    async deleteDevice(call) {
      const { deviceId, at } = await devices.delete(call.params.device_id, auditedBy(actorOf(call)));
      return call.reply({ status: 200, body: { device_id: deviceId, deleted_at: at } });
    },
    async testDevicePush(call) {
      const answer = await devices.testPush(call.params.device_id, auditedBy(actorOf(call)), call);
      const body = { status_class: answer.statusClass, retry_after: answer.retryAfterSeconds };
      return call.reply({ status: 200, headers: { "Cache-Control": "no-store" }, body });
    },
  };
}

function revokedVerification(decision: Decision, by: string): Reply<"revokeVerification">["body"] {
  const { deviceId, at, trustState } = decision;
  return {
    device_id: deviceId,
    trust_tier: trustState.tier,
    rate_limit: trustState.limit,
    revoked_at: at,
    revoked_by: by,
  };
}

type BulkResult = Reply<"verifyDevices">["body"]["results"][number];

function bulkResult(device_id: string, outcome: BulkOutcome): BulkResult {
  if ("verifiedAt" in outcome) return { device_id, success: true, verified_at: outcome.verifiedAt };
  const { error } = outcome;
  return { device_id, success: false, verified_at: null, error, code: errorCatalogue[error].code };
}

function pendingDevice(view: PendingView): Reply<"listPendingDevices">["body"]["pending_devices"][number] {
  const { device, trustState, flagged, suggestedAction } = view;
  return {
    device_id: device.deviceId,
    registered_at: device.registeredAt,
    age_hours: trustState.ageHours,
    current_tier: trustState.tier,
    current_rate_limit: trustState.limit,
    messages_sent: device.messagesSent,
    messages_received: device.messagesReceived,
    spam_reports: device.spamReports,
    spam_warning: flagged,
    suggested_action: suggestedAction,
  };
}
