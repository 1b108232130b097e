import { hold, NotChecked, refused, same, success } from "../harness/assertions.js";
import type { Device, Harness, Rule } from "../harness/types.js";
import { onEveryNode } from "./registration.js";

/** A domain that nobody can own (RFC 2606), a different one at every call. */
function inventedDomain({ random }: Harness): string {
  return `conformance-${random.uuid().slice(0, 8)}.invalid`;
}

export const adminFederationRules: readonly Rule[] = [
  {
    id: "servers.block",
    title: "a blocked server is listed until its block is ended, which works once",
    source: "openapi: blockServer, listBlockedServers, unblockServer",
    requires: ["admin"],
    async check(harness) {
      const server_domain = inventedDomain(harness);
      const body = { server_domain, reason: "conformance suite", expires_at: (await harness.now()) + 300 };
      same(success(await harness.admin("blockServer", { body }), 200).server_domain, server_domain, "server_domain");
      const isListed = async () => {
        const answer = await harness.admin("listBlockedServers", { query: { limit: 1000 } });
        return success(answer, 200).blocked_servers.some(({ domain }) => domain === server_domain);
      };
      same(await isListed(), true, "listed");
      success(await harness.admin("unblockServer", { params: { server_domain } }), 200);
      same(await isListed(), false, "listed after it");
      refused(await harness.admin("unblockServer", { params: { server_domain } }), "NOT_FOUND");
    },
  },
  {
    id: "servers.blocked-sending",
    title: "a message to a blocked server is soon refused",
    source: "openapi: sendMessage; errors.yaml: FEDERATION_FAILED",
    requires: ["admin"],
    async check(harness) {
      const alice = await harness.alice();
      const server_domain = inventedDomain(harness);
      const body = { server_domain, reason: "conformance suite", expires_at: (await harness.now()) + 300 };
      success(await harness.admin("blockServer", { body }), 200);
      const address = `${harness.random.uuid()}@${server_domain}`;
      try {
        const isRefused = async () => (await sendAway(alice, alice.message(address))).status !== 202;
        await onEveryNode(harness, isRefused, "the message is accepted");
        refused(await sendAway(alice, alice.message(address)), "FEDERATION_FAILED");
      } finally {
        success(await harness.admin("unblockServer", { params: { server_domain } }), 200);
        await harness.admin("purgeOutbox", { params: { server_domain } });
      }
    },
  },
  {
    id: "servers.malformed",
    title: "an invalid domain cannot be blocked",
    source: "openapi: blockServer; errors.yaml: INVALID_ADDRESS",
    requires: ["admin"],
    async check(harness) {
      for (const server_domain of ["10.0.0.1", "no domain", "-.example"]) {
        refused(
          await harness.admin("blockServer", { body: { server_domain, reason: "conformance" } }),
          "INVALID_ADDRESS",
        );
      }
    },
  },
  {
    id: "servers.reputation",
    title: "the reputation of an unknown server is SERVER_UNREACHABLE",
    source: "openapi: getServerReputation; errors.yaml: SERVER_UNREACHABLE",
    requires: ["admin"],
    async check(harness) {
      const params = { server_domain: inventedDomain(harness) };
      refused(await harness.admin("getServerReputation", { params }), "SERVER_UNREACHABLE");
    },
  },
  {
    id: "servers.policy",
    title: "the policy is what was set, also in the configuration",
    source: "openapi: getFederationPolicy, setFederationPolicy",
    requires: ["admin"],
    async check(harness) {
      const policy = success(await harness.admin("getFederationPolicy"), 200);
      const { current_policy } = success(await harness.admin("setFederationPolicy", { body: policy }), 200);
      same(current_policy, policy, "the policy");
      const { federation } = success(await harness.admin("getConfig"), 200);
      same(federation.allowlist_mode, policy.allowlist_mode, "allowlist_mode");
      same(federation.certificate_validation, policy.require_certificate_validation, "certificate_validation");
    },
  },
  {
    id: "servers.outbox",
    title: "a message for another server waits in the outbox, where it can be tried again and dropped",
    source: "openapi: sendMessage, listOutboxBacklogs, retryOutbox, purgeOutbox",
    requires: ["admin"],
    async check(harness) {
      const alice = await harness.alice();
      const server_domain = inventedDomain(harness);
      const body = alice.message(`${harness.random.uuid()}@${server_domain}`);
      same(success(await sendAway(alice, body), 202).status, "federated", "status");
      const waiting = async () => {
        const answer = await harness.admin("listOutboxBacklogs", { query: { limit: 1000 } });
        return success(answer, 200).destinations.find((one) => one.server_domain === server_domain)?.messages ?? 0;
      };
      same(await waiting(), 1, "messages that wait");
      success(await harness.admin("retryOutbox", { params: { server_domain } }), 200);
      success(await harness.admin("purgeOutbox", { params: { server_domain } }), 200);
      same(await waiting(), 0, "messages that wait after it");
      refused(await harness.admin("purgeOutbox", { params: { server_domain } }), "NOT_FOUND");
    },
  },
  {
    id: "servers.published-list",
    title: "the blocklist is published if and only if the policy says so",
    source: "openapi: getBlocklist",
    requires: ["admin"],
    async check(harness) {
      const { publish_blocklist } = success(await harness.admin("getFederationPolicy"), 200);
      const answer = await harness.call("getBlocklist");
      if (publish_blocklist) same(success(answer, 200).server, harness.domain, "server");
      else refused(answer, "NOT_FOUND");
    },
  },
  {
    id: "servers.published",
    title: "a published blocklist names the blocked servers",
    source: "openapi: getBlocklist, setFederationPolicy",
    requires: ["admin", "test profile"],
    async check(harness) {
      const policy = success(await harness.admin("getFederationPolicy"), 200);
      const server_domain = inventedDomain(harness);
      success(await harness.admin("blockServer", { body: { server_domain, reason: "conformance suite" } }), 200);
      success(await harness.admin("setFederationPolicy", { body: { ...policy, publish_blocklist: true } }), 200);
      const isPublished = async () => (await harness.call("getBlocklist")).status === 200;
      try {
        await onEveryNode(harness, isPublished, "the list is not published");
        const list = success(await harness.call("getBlocklist"), 200);
        hold(
          list.blocked_servers.some(({ domain }) => domain === server_domain),
          "the list does not name it",
        );
      } finally {
        success(await harness.admin("setFederationPolicy", { body: policy }), 200);
        success(await harness.admin("unblockServer", { params: { server_domain } }), 200);
      }
    },
  },
];

/** Sends a message for another server; throws NotChecked if this server sends nothing to others. */
async function sendAway(device: Device, body: Record<string, unknown>) {
  const answer = await device.call("sendMessage", { body });
  if (answer.body.error === "FEDERATION_DISABLED") throw new NotChecked("the server sends nothing to other servers");
  return answer;
}
