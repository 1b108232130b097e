import { connectAdmin } from "../../client/admin.js";
import { hold, NotChecked, refused, same, success } from "../harness/assertions.js";
import { runtimeOf } from "../harness/device.js";
import type { Harness, Rule } from "../harness/types.js";
import { soonMillis, within } from "./registration.js";

const reason = "conformance suite";

export const adminConsoleRules: readonly Rule[] = [
  {
    id: "admin.sessions",
    title: "an administrator sees the open sessions and ends one, whose token is refused from then on",
    source: "openapi: listAdminSessions, endAdminSession; errors.yaml: INVALID_TOKEN",
    requires: ["admin"],
    async check(harness) {
      const other = await secondSession(harness);
      const { sessions } = success(await harness.call("listAdminSessions", { token: other }), 200);
      const current = sessions.find((session) => session.current);
      hold(current !== undefined, "no session is marked as the current one");
      const params = { session_id: current?.session_id ?? "" };
      same(
        success(await harness.admin("endAdminSession", { params }), 200).session_id,
        params.session_id,
        "the session",
      );
      // Another node may learn of it up to a second later.
      const isEnded = async () => (await harness.call("listAdminSessions", { token: other })).status === 401;
      await within(soonMillis, isEnded, "the session's token is still good");
      success(await harness.admin("listAdminSessions"), 200);
    },
  },
  {
    id: "admin.conditional",
    title: "a list with the caller's entity tag is answered 304, without a body",
    source: "openapi: listPeers, If-None-Match",
    requires: ["admin"],
    async check(harness) {
      const { headers } = await harness.admin("listPeers");
      const tag = headers.get("etag");
      if (tag === null) throw new NotChecked("the answer has no entity tag");
      same((await harness.admin("listPeers", { headers: { "if-none-match": tag } })).status, 304, "the status");
    },
  },
  {
    id: "admin.peers",
    title: "peers are listed, and so are the block lists that they publish",
    source: "openapi: listPeers, listPeerBlocklists, getPeerBlocklist; errors.yaml: NOT_FOUND",
    requires: ["admin"],
    async check(harness) {
      success(await harness.admin("listPeers"), 200);
      const { lists } = success(await harness.admin("listPeerBlocklists"), 200);
      for (const { server_domain, server_count } of lists.slice(0, 1)) {
        const list = success(await harness.admin("getPeerBlocklist", { params: { server_domain } }), 200);
        same(list.servers.length, server_count, "the number of servers");
      }
      same(
        (await harness.admin("getPeerBlocklist", { params: { server_domain: "conformance.invalid" } })).status,
        404,
        "the status",
      );
    },
  },
  {
    id: "admin.backups",
    title: "the backups are listed",
    source: "openapi: listBackups",
    requires: ["admin"],
    async check(harness) {
      success(await harness.admin("listBackups"), 200);
    },
  },
  {
    id: "admin.backup-start",
    title: "an administrator starts one backup at a time, and none without a folder for backups",
    source: "openapi: startBackup; errors.yaml: CONFLICT",
    requires: ["admin", "test profile"],
    async check(harness) {
      const { schedule } = success(await harness.admin("listBackups"), 200);
      if (schedule.enabled) {
        const { requested_at } = success(await harness.admin("startBackup"), 202);
        same(success(await harness.admin("listBackups"), 200).requested_at, requested_at, "the time of the request");
      }
      refused(await harness.admin("startBackup"), "CONFLICT");
    },
  },
];

/** Rules about a separate device, which is gone afterwards. */
export const adminDeviceRules: readonly Rule[] = [
  {
    id: "devices.limits",
    title: "a device reads what is left of its limits",
    source: "openapi: getLimits",
    async check(harness) {
      const { limits } = success(await (await harness.erin()).call("getLimits"), 200);
      for (const { name, limit, remaining } of limits) hold(remaining <= limit, `${name}: more is left than allowed`);
    },
  },
  {
    id: "devices.block",
    title: "a blocked device is listed as blocked",
    source: "openapi: listDevices, blockDevice",
    requires: ["admin"],
    async check(harness) {
      const { deviceId: device_id } = await harness.erin();
      const params = { device_id };
      success(await harness.admin("blockDevice", { params, body: { reason } }), 200);
      const query = { state: "blocked", id_prefix: device_id.slice(0, 16) };
      const { devices } = success(await harness.admin("listDevices", { query }), 200);
      same(
        devices.map((device) => device.device_id),
        [device_id],
        "the blocked devices",
      );
    },
  },
  {
    id: "devices.delete",
    title: "a deleted device is unknown, and its token refused",
    source: "openapi: deleteDevice, getDevice; errors.yaml: DEVICE_NOT_FOUND",
    requires: ["admin"],
    async check(harness) {
      const erin = await harness.erin();
      const params = { device_id: erin.deviceId };
      success(await harness.admin("deleteDevice", { params }), 200);
      refused(await harness.admin("getDevice", { params }), "DEVICE_NOT_FOUND");
      refused(await erin.call("getLimits"), "INVALID_TOKEN");
    },
  },
];

/** The token of a session other than the suite's. */
async function secondSession({ target, domain, wire }: Harness): Promise<string> {
  const { adminKeys } = target;
  if (adminKeys === undefined) throw new NotChecked("there is no administrator's key");
  const url = target.urls[0] ?? "";
  const client = await connectAdmin({
    url,
    domain,
    keys: adminKeys,
    runtime: runtimeOf(wire),
    retries: { attempts: 1 },
  });
  await client.login();
  return client.session()?.accessToken ?? "";
}
