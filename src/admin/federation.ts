import type { AuditAction, AuditService } from "../audit/service.js";
import type { Database, Transaction } from "../database/db.js";
import type { Block, BlockRequest, FederationPolicy, Reputation } from "../federation/model/types.js";
import type { FederationService } from "../federation/service.js";
import type { Clock } from "../node/clock.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { type Actor, auditedBy } from "./actor.js";
import type { AdminCallLimits } from "./call-limits.js";
import { changesOf } from "./configuration.js";

/** Federation, as administrators manage it. Each action is recorded in the transaction that performs it. */
export type FederationAdministration = ReturnType<typeof createFederationAdministration>;

const policyTarget = "federation policy";

export function createFederationAdministration(deps: {
  db: Database;
  clock: Clock;
  federation: FederationService;
  audit: Pick<AuditService, "record">;
  callLimits: Pick<AdminCallLimits, "take">;
}) {
  const { db, clock, federation, audit, callLimits } = deps;
  const recording =
    (actor: Actor, entry: { action: AuditAction; target: string; details: Readonly<Record<string, unknown>> }) =>
    async (trx: Transaction): Promise<void> => {
      await audit.record(trx, { ...auditedBy(actor), ...entry });
    };

  const { blocks, peerLists, peerList, reputation, policy } = federation;
  return {
    ...{ blocks, peerLists, peerList, reputation, policy },
    /** Blocks a server. Throws INVALID_ADDRESS, or INVALID_REQUEST if `expiresAt` is in the past. */
    block: (request: BlockRequest, actor: Actor) =>
      federation.block(request, actor.deviceId, (trx, { domain, blockedBy: _, blockedAt: __, ...details }) =>
        recording(actor, { action: "federation_blocked", target: domain, details: blockDetails(details) })(trx),
      ),
    /** Unblocks a server. Throws INVALID_ADDRESS or NOT_FOUND. */
    unblock: (domain: string, actor: Actor) =>
      federation.unblock(domain, (trx, host) =>
        recording(actor, { action: "federation_unblocked", target: host, details: {} })(trx),
      ),
    /** The servers with which there was contact, the most recently active first, each with its reputation. */
    async peers(page: { limit: number; offset: number }): Promise<Reputation[]> {
      const found: Reputation[] = [];
      // One after the other, because a page must not take every connection of the pool.
      for (const { domain } of await federation.peers(page)) found.push(await federation.reputation(domain));
      return found;
    },
    /** Changes the policy. Throws INVALID_ADDRESS, INVALID_CONFIG or RATE_LIMIT_EXCEEDED. */
    async setPolicy(
      patch: Partial<FederationPolicy>,
      actor: Actor,
      observer?: LimitObserver,
    ): Promise<{ policy: FederationPolicy; at: number }> {
      await callLimits.take(actor.deviceId, "config_updates", observer);
      const policy = await federation.setPolicy(patch, actor.deviceId, async (trx, change) => {
        const details = { changes: changesOf(change), ...(patch.allowlist && { allowlist: patch.allowlist }) };
        await recording(actor, { action: "config_updated", target: policyTarget, details })(trx);
      });
      return { policy, at: clock.nowSeconds() };
    },
    backlogs: (limit: number) => federation.outbox.backlogs(db, limit),
    /** Retries delivery to a server at once. Throws INVALID_ADDRESS or NOT_FOUND. */
    retry: (domain: string, actor: Actor) => federation.outbox.retry(federation.nameOf(domain), auditedBy(actor)),
    /** Drops the messages for a server; returns how many. Throws INVALID_ADDRESS or NOT_FOUND. */
    purge: (domain: string, actor: Actor) => federation.outbox.purge(federation.nameOf(domain), auditedBy(actor)),
  };
}

function blockDetails({
  reason,
  expiresAt,
  category,
  severity,
}: Pick<Block, "reason" | "expiresAt" | "category" | "severity">) {
  return { reason, expires_at: expiresAt, reason_category: category, severity };
}
