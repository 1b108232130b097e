import type { Device } from "../device.js";
import type { Ground } from "../ground.js";
import { hold, NotChecked, type Rule, refused, same, success } from "../rule.js";

/** A domain that nobody can have (RFC 2606), another one for every call. */
function inventedDomain({ random }: Ground): string {
  return `conformance-${random.uuid().slice(0, 8)}.invalid`;
}

export const adminFederationRules: readonly Rule[] = [
  {
    id: "servers.block",
    title: "a blocked server is listed until its block is ended, which works once",
    source: "openapi: blockServer, listBlockedServers, unblockServer",
    needs: ["admin"],
    async check(ground) {
      const server_domain = inventedDomain(ground);
      const body = { server_domain, reason: "conformance suite", expires_at: (await ground.now()) + 300 };
      same(success(await ground.admin("blockServer", { body }), 200).server_domain, server_domain, "server_domain");
      const isListed = async () => {
        const answer = await ground.admin("listBlockedServers", { query: { limit: 1000 } });
        return success(answer, 200).blocked_servers.some(({ domain }) => domain === server_domain);
      };
      same(await isListed(), true, "listed");
      success(await ground.admin("unblockServer", { params: { server_domain } }), 200);
      same(await isListed(), false, "listed after it");
      refused(await ground.admin("unblockServer", { params: { server_domain } }), "NOT_FOUND");
    },
  },
  {
    id: "servers.blocked-sending",
    title: "within a second a message to a blocked server is refused",
    source: "openapi: sendMessage; errors.yaml: FEDERATION_FAILED",
    needs: ["admin"],
    async check(ground) {
      const alice = await ground.alice();
      const server_domain = inventedDomain(ground);
      const body = { server_domain, reason: "conformance suite", expires_at: (await ground.now()) + 300 };
      success(await ground.admin("blockServer", { body }), 200);
      const address = `${ground.random.uuid()}@${server_domain}`;
      try {
        // Each node may take up to a second to learn of it, so the first refusal says little of the others.
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        for (const _ of ["one", "another"]) refused(await sendAway(alice, alice.message(address)), "FEDERATION_FAILED");
      } finally {
        success(await ground.admin("unblockServer", { params: { server_domain } }), 200);
        await ground.admin("purgeOutbox", { params: { server_domain } });
      }
    },
  },
  {
    id: "servers.malformed",
    title: "what is no domain cannot be blocked",
    source: "openapi: blockServer; errors.yaml: INVALID_ADDRESS",
    needs: ["admin"],
    async check(ground) {
      for (const server_domain of ["10.0.0.1", "no domain", "-.example"]) {
        refused(
          await ground.admin("blockServer", { body: { server_domain, reason: "conformance" } }),
          "INVALID_ADDRESS",
        );
      }
    },
  },
  {
    id: "servers.reputation",
    title: "the reputation of a server that nobody has met is SERVER_UNREACHABLE",
    source: "openapi: getServerReputation; errors.yaml: SERVER_UNREACHABLE",
    needs: ["admin"],
    async check(ground) {
      const params = { server_domain: inventedDomain(ground) };
      refused(await ground.admin("getServerReputation", { params }), "SERVER_UNREACHABLE");
    },
  },
  {
    id: "servers.policy",
    title: "the policy is what was set, and the configuration tells the same",
    source: "openapi: getFederationPolicy, setFederationPolicy",
    needs: ["admin"],
    async check(ground) {
      const policy = success(await ground.admin("getFederationPolicy"), 200);
      const { current_policy } = success(await ground.admin("setFederationPolicy", { body: policy }), 200);
      same(current_policy, policy, "the policy");
      const { federation } = success(await ground.admin("getConfig"), 200);
      same(federation.allowlist_mode, policy.allowlist_mode, "allowlist_mode");
      same(federation.certificate_validation, policy.require_certificate_validation, "certificate_validation");
    },
  },
  {
    id: "servers.outbox",
    title: "a message for another server waits in the outbox, where it can be tried again and dropped",
    source: "openapi: sendMessage, listOutboxBacklogs, retryOutbox, purgeOutbox",
    needs: ["admin"],
    async check(ground) {
      const alice = await ground.alice();
      const server_domain = inventedDomain(ground);
      const body = alice.message(`${ground.random.uuid()}@${server_domain}`);
      same(success(await sendAway(alice, body), 202).status, "federated", "status");
      const waiting = async () => {
        const answer = await ground.admin("listOutboxBacklogs", { query: { limit: 1000 } });
        return success(answer, 200).destinations.find((one) => one.server_domain === server_domain)?.messages ?? 0;
      };
      same(await waiting(), 1, "messages that wait");
      success(await ground.admin("retryOutbox", { params: { server_domain } }), 200);
      success(await ground.admin("purgeOutbox", { params: { server_domain } }), 200);
      same(await waiting(), 0, "messages that wait after it");
      refused(await ground.admin("purgeOutbox", { params: { server_domain } }), "NOT_FOUND");
    },
  },
  {
    id: "servers.published-list",
    title: "the published list is there where the policy says so, and else not",
    source: "openapi: getBlocklist",
    needs: ["admin"],
    async check(ground) {
      const { publish_blocklist } = success(await ground.admin("getFederationPolicy"), 200);
      const answer = await ground.call("getBlocklist");
      if (publish_blocklist) same(success(answer, 200).server, ground.domain, "server");
      else refused(answer, "NOT_FOUND");
    },
  },
  {
    id: "servers.published",
    title: "a list that is published names what is blocked",
    source: "openapi: getBlocklist, setFederationPolicy",
    needs: ["admin", "test profile"],
    async check(ground) {
      const policy = success(await ground.admin("getFederationPolicy"), 200);
      const server_domain = inventedDomain(ground);
      success(await ground.admin("blockServer", { body: { server_domain, reason: "conformance suite" } }), 200);
      success(await ground.admin("setFederationPolicy", { body: { ...policy, publish_blocklist: true } }), 200);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      try {
        const list = success(await ground.call("getBlocklist"), 200);
        hold(
          list.blocked_servers.some(({ domain }) => domain === server_domain),
          "the list does not name it",
        );
      } finally {
        success(await ground.admin("setFederationPolicy", { body: policy }), 200);
        success(await ground.admin("unblockServer", { params: { server_domain } }), 200);
      }
    },
  },
];

/** Sends a message for another server; throws NotChecked where this one sends nothing to others. */
async function sendAway(device: Device, body: Record<string, unknown>) {
  const answer = await device.call("sendMessage", { body });
  if (answer.body.error === "FEDERATION_DISABLED") throw new NotChecked("the server sends nothing to other servers");
  return answer;
}
