import type { OperationId } from "../../../generated/handlers.js";
import { type Route, routes } from "../../../generated/routes.js";
import { adminChallengeText } from "../../protocol/signed-text.js";
import { deviceKeysOf } from "../../sdk/keys.js";
import type { Ground } from "../ground.js";
import { hold, NotChecked, type Rule, refused, same, success } from "../rule.js";
import { within } from "./registration.js";

const operations = Object.keys(routes) as OperationId[];

export const adminRules: readonly Rule[] = [
  {
    id: "admin.challenge",
    title: "each challenge to log in with is another one",
    source: "openapi: getAdminChallenge",
    async check(ground) {
      const [one, other] = [await ground.call("getAdminChallenge"), await ground.call("getAdminChallenge")];
      hold(success(one, 200).challenge !== success(other, 200).challenge, "the same challenge came twice");
    },
  },
  {
    id: "admin.stranger",
    title: "who is not on the list cannot log in",
    source: "openapi: loginAdmin; errors.yaml: INVALID_ADMIN",
    async check(ground) {
      const keys = deviceKeysOf(ground.random.bytes(32));
      refused(await logIn(ground, keys), "INVALID_ADMIN");
    },
  },
  {
    id: "admin.signature",
    title: "a challenge that somebody else signed is refused",
    source: "openapi: loginAdmin; errors.yaml: INVALID_SIGNATURE",
    needs: ["admin"],
    async check(ground) {
      refused(await logIn(ground, adminOf(ground), { challenge_signature: "00".repeat(64) }), "INVALID_SIGNATURE");
    },
  },
  {
    id: "admin.challenge-once",
    title: "a challenge is good for one login, and one that nobody issued for none",
    source: "openapi: loginAdmin; errors.yaml: CHALLENGE_EXPIRED",
    needs: ["admin"],
    async check(ground) {
      const { challenge } = success(await ground.call("getAdminChallenge"), 200);
      const first = success(await logIn(ground, adminOf(ground), { given: challenge }), 200);
      refused(await logIn(ground, adminOf(ground), { given: challenge }), "CHALLENGE_EXPIRED");
      refused(await logIn(ground, adminOf(ground), { given: "ab".repeat(32) }), "CHALLENGE_EXPIRED");
      success(await ground.call("logoutAdmin", { token: first.admin_token }), 200);
    },
  },
  {
    id: "admin.timestamp",
    title: "a login of another time is refused",
    source: "openapi: loginAdmin, timestamp",
    needs: ["admin"],
    async check(ground) {
      const timestamp = (await ground.now()) - 330;
      refused(await logIn(ground, adminOf(ground), { timestamp }), "INVALID_REQUEST");
    },
  },
  {
    id: "admin.session",
    title: "a session is prolonged by refreshing, and void within a second after logging out",
    source: "openapi: refreshAdminToken, logoutAdmin",
    needs: ["admin"],
    async check(ground) {
      const { admin_token: token } = success(await logIn(ground, adminOf(ground)), 200);
      const { admin_token: newer } = success(await ground.call("refreshAdminToken", { token }), 200);
      success(await ground.call("getConfig", { token: newer }), 200);
      success(await ground.call("logoutAdmin", { token: newer }), 200);
      for (const one of [token, newer]) {
        const isVoid = async () => (await ground.call("getConfig", { token: one })).status === 401;
        await within(3_000, isVoid, "a token of the session is still good");
      }
    },
  },
  {
    id: "admin.config",
    title: "a change of the configuration changes what is sent and nothing else",
    source: "openapi: getConfig, updateConfig",
    needs: ["admin"],
    async check(ground) {
      const before = success(await ground.admin("getConfig"), 200);
      const name = before.server.server_name;
      const body = { server: { server_name: name } };
      const changed = success(await ground.admin("updateConfig", { body }), 200);
      same(changed.requires_restart, false, "requires_restart");
      same(success(await ground.admin("getConfig"), 200), before, "the configuration");
    },
  },
  {
    id: "admin.config-range",
    title: "an unknown key or a value out of range is INVALID_CONFIG, and nothing of the request is changed",
    source: "openapi: updateConfig; errors.yaml: INVALID_CONFIG",
    needs: ["admin"],
    async check(ground) {
      const before = success(await ground.admin("getConfig"), 200);
      const other = { server: { server_name: `${before.server.server_name}!` } };
      const wrong = [
        { ...other, progressive_trust: { new_tier_limit: 1001 } },
        { ...other, progressive_trust: { new_tier_limit: 0 } },
        { ...other, federation: { auto_block_threshold: 1.1 } },
        { ...other, colours: { red: true } },
        { server: { ...other.server, colour: "red" } },
      ];
      for (const body of wrong) refused(await ground.admin("updateConfig", { body }), "INVALID_CONFIG");
      same(success(await ground.admin("getConfig"), 200), before, "the configuration");
    },
  },
  {
    id: "admin.config-everywhere",
    title: "a changed configuration holds on every node within a second",
    source: "openapi: updateConfig",
    needs: ["admin", "test profile"],
    async check(ground) {
      const before = success(await ground.admin("getConfig"), 200);
      const server_name = `Conformance ${await ground.now()}`;
      success(await ground.admin("updateConfig", { body: { server: { server_name } } }), 200);
      try {
        for (const _ of ground.target.urls) {
          const isTold = async () => success(await ground.call("getDiscovery"), 200).server_name === server_name;
          await within(3_000, isTold, "the discovery document does not tell it");
        }
      } finally {
        const body = { server: { server_name: before.server.server_name } };
        success(await ground.admin("updateConfig", { body }), 200);
      }
    },
  },
  {
    id: "admin.permissions",
    title: "an administrator without an operation's permission is refused",
    source: "openapi: permissions; errors.yaml: INSUFFICIENT_PERMISSIONS",
    needs: ["viewer"],
    async check(ground) {
      const { permissions = [] } = (await ground.viewerClient()).session() ?? {};
      if (permissions.includes("all")) throw new NotChecked("this administrator may do everything");
      const params = { server_domain: "conformance.invalid", invite_id: ground.random.uuid() };
      for (const id of operations) {
        const { permission, bodyLimit }: Route = routes[id];
        if (permission === null || permissions.some((one) => one === permission)) continue;
        refused(
          await ground.viewer(id, { params, ...(bodyLimit !== null && { body: {} }) }),
          "INSUFFICIENT_PERMISSIONS",
        );
      }
    },
  },
];

function adminOf({ target: { adminKeys } }: Ground) {
  if (adminKeys === undefined) throw new NotChecked("there is no administrator's key");
  return adminKeys;
}

type Keys = ReturnType<typeof adminOf>;

/** Logs in; members of `different` take the place of the right ones. */
async function logIn(
  ground: Ground,
  keys: Keys,
  { given, ...different }: { given?: string; [member: string]: unknown } = {},
) {
  const challenge = given ?? success(await ground.call("getAdminChallenge"), 200).challenge;
  const body = {
    device_id: keys.deviceId,
    challenge,
    challenge_signature: await keys.sign(adminChallengeText({ challenge, audience: ground.domain })),
    timestamp: await ground.now(),
    audience: ground.domain,
    ...different,
  };
  return ground.call("loginAdmin", { body });
}
