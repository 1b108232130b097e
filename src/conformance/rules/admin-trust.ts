import { hold, refused, same, success } from "../harness/assertions.js";
import type { Rule } from "../harness/types.js";

const reason = "conformance suite";
const nobody = "ab".repeat(32);

export const adminTrustRules: readonly Rule[] = [
  {
    id: "trust.verify",
    title: "a verified device is Verified at once, and back in its age's tier once that is undone",
    source: "openapi: verifyDevice, revokeVerification, deleteVerification, getDevice",
    requires: ["admin"],
    async check(harness) {
      const { deviceId: device_id } = await harness.carol();
      const body = { device_id, reason };
      same(success(await harness.admin("verifyDevice", { body }), 200).trust_tier, "verified", "trust_tier");
      const detail = success(await harness.admin("getDevice", { params: { device_id } }), 200);
      same([detail.admin_verified, detail.trust_tier], [true, "verified"], "the device");
      success(await harness.admin("revokeVerification", { body }), 200);
      refused(await harness.admin("revokeVerification", { body }), "CONFLICT");
      success(await harness.admin("verifyDevice", { body }), 200);
      success(await harness.admin("deleteVerification", { params: { device_id } }), 200);
      const after = success(await harness.admin("getDevice", { params: { device_id } }), 200);
      same([after.admin_verified, after.trust_tier], [false, "new"], "the device after it");
    },
  },
  {
    id: "trust.verify-bulk",
    title: "several devices are processed separately, in order",
    source: "openapi: verifyDevices",
    requires: ["admin"],
    async check(harness) {
      const { deviceId } = await harness.carol();
      const devices = [nobody, deviceId].map((device_id) => ({ device_id, reason }));
      const body = success(await harness.admin("verifyDevices", { body: { devices } }), 200);
      same([body.verified_count, body.failed_count], [1, 1], "the counts");
      same(
        body.results.map(({ device_id, success: done }) => [device_id, done]),
        [
          [nobody, false],
          [deviceId, true],
        ],
        "the results",
      );
    },
  },
  {
    id: "trust.rate-limit",
    title: "a custom limit is shown, and a limit outside 0 to 1000 is INVALID_CONFIG with code 4012",
    source: "openapi: setRateLimit; errors.yaml: INVALID_RATE_LIMIT",
    requires: ["admin"],
    async check(harness) {
      const { deviceId: device_id } = await harness.carol();
      const set = (custom_rate_limit: number | null) =>
        harness.admin("setRateLimit", { body: { device_id, custom_rate_limit, reason } });
      for (const wrong of [-1, 1001]) refused(await set(wrong), "INVALID_RATE_LIMIT");
      same(success(await set(7), 200).rate_limit, 7, "rate_limit");
      const { rate_limiting } = success(await harness.admin("getDevice", { params: { device_id } }), 200);
      same([rate_limiting.current_limit, rate_limiting.custom_limit], [7, 7], "the device's limits");
      success(await set(1000), 200);
    },
  },
  {
    id: "trust.unknown",
    title: "an unknown device is DEVICE_NOT_FOUND in every operation",
    source: "errors.yaml: DEVICE_NOT_FOUND",
    requires: ["admin"],
    async check(harness) {
      const body = { device_id: nobody, reason };
      refused(await harness.admin("verifyDevice", { body }), "DEVICE_NOT_FOUND");
      refused(await harness.admin("revokeVerification", { body }), "DEVICE_NOT_FOUND");
      refused(await harness.admin("setRateLimit", { body: { ...body, custom_rate_limit: 5 } }), "DEVICE_NOT_FOUND");
      refused(await harness.admin("getDevice", { params: { device_id: nobody } }), "DEVICE_NOT_FOUND");
    },
  },
  {
    id: "trust.spelling",
    title: "a device is found by its public key as well",
    source: "openapi: DeviceId",
    requires: ["admin"],
    async check(harness) {
      const { publicKey } = await harness.carol();
      success(await harness.admin("getDevice", { params: { device_id: publicKey } }), 200);
    },
  },
  {
    id: "trust.pending",
    title: "verified devices are not listed as pending verification",
    source: "openapi: listPendingDevices",
    requires: ["admin"],
    async check(harness) {
      const { deviceId } = await harness.alice();
      const query = { min_messages: 0, max_spam_reports: 1000, max_age_hours: 87_600, limit: 1000 };
      const { pending_devices } = success(await harness.admin("listPendingDevices", { query }), 200);
      hold(!pending_devices.some(({ device_id }) => device_id === deviceId), "a verified device is pending");
    },
  },
  {
    id: "trust.invites",
    title: "an invite is listed without its code, and can be revoked once",
    source: "openapi: createInvite, listInvites, revokeInvite",
    requires: ["admin"],
    async check(harness) {
      const made = await harness.admin("createInvite", { body: { max_uses: 3 } });
      const { invite_id, invite_code, max_uses } = success(made, 201);
      same(max_uses, 3, "max_uses");
      const listed = await harness.admin("listInvites", { query: { limit: 1000 } });
      hold(
        success(listed, 200).invites.some((invite) => invite.invite_id === invite_id),
        "it is not listed",
      );
      hold(!listed.text.includes(invite_code), "the code is listed");
      success(await harness.admin("revokeInvite", { params: { invite_id } }), 200);
      success(await harness.admin("revokeInvite", { params: { invite_id } }), 200);
      refused(await harness.admin("revokeInvite", { params: { invite_id: harness.random.uuid() } }), "NOT_FOUND");
    },
  },
];
