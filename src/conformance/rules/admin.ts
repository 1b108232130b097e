import type { OperationId } from "../../../generated/handlers.js";
import { type Route, routes } from "../../../generated/routes.js";
import { deviceKeysOf } from "../../client/crypto/keys.js";
import { adminChallengeText } from "../../protocol/signed-text.js";
import { hold, NotChecked, refused, same, success } from "../harness/assertions.js";
import type { Harness, Rule } from "../harness/types.js";
import { onEveryNode, soonMillis, within } from "./registration.js";

const operations = Object.keys(routes) as OperationId[];

export const adminRules: readonly Rule[] = [
  {
    id: "admin.challenge",
    title: "each login challenge is different",
    source: "openapi: getAdminChallenge",
    async check(harness) {
      const [one, other] = [await harness.call("getAdminChallenge"), await harness.call("getAdminChallenge")];
      hold(success(one, 200).challenge !== success(other, 200).challenge, "the same challenge came twice");
    },
  },
  {
    id: "admin.stranger",
    title: "a key that is not an administrator's cannot log in",
    source: "openapi: loginAdmin; errors.yaml: INVALID_ADMIN",
    async check(harness) {
      const keys = deviceKeysOf(harness.random.bytes(32));
      refused(await logIn(harness, keys), "INVALID_ADMIN");
    },
  },
  {
    id: "admin.signature",
    title: "a challenge with a signature of another key is refused as a stranger's login is",
    source: "openapi: loginAdmin; errors.yaml: INVALID_ADMIN",
    requires: ["admin"],
    async check(harness) {
      refused(await logIn(harness, adminOf(harness), { challenge_signature: "00".repeat(64) }), "INVALID_ADMIN");
    },
  },
  {
    id: "admin.challenge-once",
    title: "a challenge is valid for one login, and an unknown one is refused",
    source: "openapi: loginAdmin; errors.yaml: CHALLENGE_EXPIRED",
    requires: ["admin"],
    async check(harness) {
      const { challenge } = success(await harness.call("getAdminChallenge"), 200);
      const first = success(await logIn(harness, adminOf(harness), { given: challenge }), 200);
      refused(await logIn(harness, adminOf(harness), { given: challenge }), "CHALLENGE_EXPIRED");
      refused(await logIn(harness, adminOf(harness), { given: "ab".repeat(32) }), "CHALLENGE_EXPIRED");
      success(await harness.call("logoutAdmin", { token: first.admin_token }), 200);
    },
  },
  {
    id: "admin.timestamp",
    title: "a login with a wrong timestamp is refused",
    source: "openapi: loginAdmin, timestamp",
    requires: ["admin"],
    async check(harness) {
      const timestamp = (await harness.now()) - 330;
      refused(await logIn(harness, adminOf(harness), { timestamp }), "INVALID_REQUEST");
    },
  },
  {
    id: "admin.session",
    title: "a session is extended by refreshing, and ends soon after logging out",
    source: "openapi: refreshAdminToken, logoutAdmin",
    requires: ["admin"],
    async check(harness) {
      const { admin_token: token } = success(await logIn(harness, adminOf(harness)), 200);
      const { admin_token: newer } = success(await harness.call("refreshAdminToken", { token }), 200);
      success(await harness.call("getConfig", { token: newer }), 200);
      success(await harness.call("logoutAdmin", { token: newer }), 200);
      for (const one of [token, newer]) {
        const isVoid = async () => (await harness.call("getConfig", { token: one })).status === 401;
        await within(soonMillis, isVoid, "a token of the session is still good");
      }
    },
  },
  {
    id: "admin.config",
    title: "a configuration change affects only the values in the request",
    source: "openapi: getConfig, updateConfig",
    requires: ["admin"],
    async check(harness) {
      const before = success(await harness.admin("getConfig"), 200);
      const name = before.server.server_name;
      const body = { server: { server_name: name } };
      const changed = success(await harness.admin("updateConfig", { body }), 200);
      same(changed.requires_restart, false, "requires_restart");
      same(success(await harness.admin("getConfig"), 200), before, "the configuration");
    },
  },
  {
    id: "admin.config-range",
    title: "an unknown key or a value out of range is INVALID_CONFIG, and nothing in the request is applied",
    source: "openapi: updateConfig; errors.yaml: INVALID_CONFIG",
    requires: ["admin"],
    async check(harness) {
      const before = success(await harness.admin("getConfig"), 200);
      const other = { server: { server_name: `${before.server.server_name}!` } };
      const wrong = [
        { ...other, progressive_trust: { new_tier_limit: 1001 } },
        { ...other, progressive_trust: { new_tier_limit: 0 } },
        { ...other, federation: { auto_block_threshold: 1.1 } },
        { ...other, colours: { red: true } },
        { server: { ...other.server, colour: "red" } },
      ];
      for (const body of wrong) refused(await harness.admin("updateConfig", { body }), "INVALID_CONFIG");
      same(success(await harness.admin("getConfig"), 200), before, "the configuration");
    },
  },
  {
    id: "admin.config-everywhere",
    title: "a configuration change soon applies on every node",
    source: "openapi: updateConfig",
    requires: ["admin", "test profile"],
    async check(harness) {
      const before = success(await harness.admin("getConfig"), 200);
      const server_name = `Conformance ${await harness.now()}`;
      success(await harness.admin("updateConfig", { body: { server: { server_name } } }), 200);
      try {
        const isTold = async () => success(await harness.call("getDiscovery"), 200).server_name === server_name;
        await onEveryNode(harness, isTold, "the discovery document does not tell it");
      } finally {
        const body = { server: { server_name: before.server.server_name } };
        success(await harness.admin("updateConfig", { body }), 200);
      }
    },
  },
  {
    id: "admin.permissions",
    title: "an administrator without an operation's permission is refused",
    source: "openapi: permissions; errors.yaml: INSUFFICIENT_PERMISSIONS",
    requires: ["viewer"],
    async check(harness) {
      const { permissions = [] } = (await harness.viewerClient()).session() ?? {};
      if (permissions.includes("all")) throw new NotChecked("this administrator may do everything");
      const params = {
        server_domain: "conformance.invalid",
        invite_id: harness.random.uuid(),
        session_id: harness.random.uuid(),
        device_id: "ab".repeat(32),
        blob_id: "ab".repeat(32),
      };
      for (const id of operations) {
        const { permission, bodyLimit }: Route = routes[id];
        if (permission === null || permissions.some((one) => one === permission)) continue;
        refused(
          await harness.viewer(id, { params, ...(bodyLimit !== null && { body: {} }) }),
          "INSUFFICIENT_PERMISSIONS",
        );
      }
    },
  },
];

function adminOf({ target: { adminKeys } }: Harness) {
  if (adminKeys === undefined) throw new NotChecked("there is no administrator's key");
  return adminKeys;
}

type Keys = ReturnType<typeof adminOf>;

/** Logs in; members of `different` replace the valid ones. */
async function logIn(
  harness: Harness,
  keys: Keys,
  { given, ...different }: { given?: string; [member: string]: unknown } = {},
) {
  const challenge = given ?? success(await harness.call("getAdminChallenge"), 200).challenge;
  const body = {
    device_id: keys.deviceId,
    challenge,
    challenge_signature: await keys.sign(adminChallengeText({ challenge, audience: harness.domain })),
    timestamp: await harness.now(),
    audience: harness.domain,
    ...different,
  };
  return harness.call("loginAdmin", { body });
}
