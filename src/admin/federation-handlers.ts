import type { AdminFederationHandlers, Call, Reply } from "../../generated/handlers.js";
import type { FederationPolicy } from "../federation/model/types.js";
import { actorOf } from "./actor.js";
import { showBacklog, showBlock, showPeer, showReputation } from "./answers.js";
import type { FederationAdministration } from "./federation.js";
import { pageOf } from "./page.js";

/** Spelled in answers as in the published list. */
const maxBlocks = 10_000;

/** The administration of federation on the wire. */
export function createFederationAdminHandlers(federation: FederationAdministration): AdminFederationHandlers {
  return {
    async blockServer(call) {
      const { server_domain: domain, reason, expires_at: expiresAt, reason_category: category, severity } = call.body;
      const block = await federation.block({ domain, reason, expiresAt, category, severity }, actorOf(call));
      const { domain: server_domain, ...shown } = showBlock(block);
      return call.reply({ status: 200, body: { server_domain, ...shown, blocked_by: call.principal.deviceId } });
    },
    async unblockServer(call) {
      const { domain, unblockedAt } = await federation.unblock(call.params.server_domain, actorOf(call));
      const by = call.principal.deviceId;
      return call.reply({
        status: 200,
        body: { server_domain: domain, unblocked_at: unblockedAt, unblocked_by: by },
      });
    },
    async listBlockedServers(call) {
      const { limit = maxBlocks, offset = 0 } = call.query;
      const { blocks, total } = await federation.blocks({ limit, offset });
      return call.reply({ status: 200, body: { blocked_servers: blocks.map(showBlock), total_blocked: total } });
    },
    async getServerReputation(call) {
      return call.reply({ status: 200, body: showReputation(await federation.reputation(call.params.server_domain)) });
    },
    async listPeers(call) {
      const { limit = 50, offset = 0 } = call.query;
      const { items, ...next } = pageOf(await federation.peers({ limit: limit + 1, offset }), { limit, offset });
      return call.reply({ status: 200, body: { peers: items.map(showPeer), ...next } });
    },
    async listPeerBlocklists(call) {
      const { limit = 100, offset = 0 } = call.query;
      const { items, ...next } = pageOf(await federation.peerLists({ limit: limit + 1, offset }), { limit, offset });
      const lists = items.map(({ publisher: server_domain, fetchedAt: fetched_at, servers: server_count }) => {
        return { server_domain, fetched_at, server_count };
      });
      return call.reply({ status: 200, body: { lists, ...next } });
    },
    async getPeerBlocklist(call) {
      const { publisher, fetchedAt, servers } = await federation.peerList(call.params.server_domain);
      return call.reply({ status: 200, body: { server_domain: publisher, fetched_at: fetchedAt, servers } });
    },
    async getFederationPolicy(call) {
      return call.reply({ status: 200, body: showPolicy(await federation.policy()) });
    },
    async setFederationPolicy(call) {
      const { policy, at } = await federation.setPolicy(readPolicy(call.body), actorOf(call), call);
      const by = call.principal.deviceId;
      return call.reply({
        status: 200,
        body: { policy_updated_at: at, updated_by: by, current_policy: showPolicy(policy) },
      });
    },
    async listOutboxBacklogs(call) {
      const backlogs = await federation.backlogs(call.query.limit ?? 100);
      return call.reply({ status: 200, body: { destinations: backlogs.map(showBacklog) } });
    },
    async retryOutbox(call) {
      await federation.retry(call.params.server_domain, actorOf(call));
      return call.reply({ status: 200, body: { server_domain: call.params.server_domain, retried: true } });
    },
    async purgeOutbox(call) {
      const purged = await federation.purge(call.params.server_domain, actorOf(call));
      return call.reply({ status: 200, body: { server_domain: call.params.server_domain, purged_messages: purged } });
    },
  };
}

function readPolicy(body: Call<"setFederationPolicy">["body"]): Partial<FederationPolicy> {
  return {
    allowlistMode: body.allowlist_mode,
    autoBlockThreshold: body.auto_block_threshold,
    requireCertificateValidation: body.require_certificate_validation,
    publishBlocklist: body.publish_blocklist,
    ...(body.allowlist && { allowlist: body.allowlist }),
  };
}

function showPolicy(policy: FederationPolicy): Reply<"getFederationPolicy">["body"] {
  return {
    allowlist_mode: policy.allowlistMode,
    allowlist: policy.allowlist,
    auto_block_threshold: policy.autoBlockThreshold,
    require_certificate_validation: policy.requireCertificateValidation,
    publish_blocklist: policy.publishBlocklist,
  };
}
