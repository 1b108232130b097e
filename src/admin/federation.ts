import type { AuditAction, AuditService } from "../audit/service.js";
import type { Database, Transaction } from "../database/db.js";
import type { Backlog, Block, BlockRequest, FederationPolicy, Reputation } from "../federation/model/types.js";
import type { FederationService } from "../federation/service.js";
import type { Clock } from "../node/clock.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { type Actor, auditedBy } from "./actor.js";
import { changesOf } from "./configuration.js";
import type { AdminRateLimits } from "./rate-limits.js";

/** Federation, as administrators manage it. Each action is recorded in the transaction that performs it. */
export interface FederationAdministration
  extends Pick<FederationService, "blocks" | "peerLists" | "peerList" | "reputation" | "policy"> {
  /** Blocks a server. Throws INVALID_ADDRESS, or INVALID_REQUEST if `expiresAt` is in the past. */
  block(request: BlockRequest, actor: Actor): Promise<Block>;
  /** Unblocks a server. Throws INVALID_ADDRESS or NOT_FOUND. */
  unblock(domain: string, actor: Actor): Promise<{ domain: string; unblockedAt: number }>;
  /** The servers with which there was contact, the most recently active first, each with its reputation. */
  peers(page: { limit: number; offset: number }): Promise<Reputation[]>;
  /** Changes the policy. Throws INVALID_ADDRESS, INVALID_CONFIG or RATE_LIMIT_EXCEEDED. */
  setPolicy(
    patch: Partial<FederationPolicy>,
    actor: Actor,
    observer?: LimitObserver,
  ): Promise<{ policy: FederationPolicy; at: number }>;
  backlogs(limit: number): Promise<Backlog[]>;
  /** Retries delivery to a server at once. Throws INVALID_ADDRESS or NOT_FOUND. */
  retry(domain: string, actor: Actor): Promise<void>;
  /** Drops the messages for a server; returns how many. Throws INVALID_ADDRESS or NOT_FOUND. */
  purge(domain: string, actor: Actor): Promise<number>;
}

const policyTarget = "federation policy";

export function createFederationAdministration(deps: {
  db: Database;
  clock: Clock;
  federation: FederationService;
  audit: Pick<AuditService, "record">;
  rateLimits: Pick<AdminRateLimits, "take">;
}): FederationAdministration {
  const { db, clock, federation, audit, rateLimits } = deps;
  const recording =
    (actor: Actor, entry: { action: AuditAction; target: string; details: Readonly<Record<string, unknown>> }) =>
    async (trx: Transaction): Promise<void> => {
      await audit.record(trx, { ...auditedBy(actor), ...entry });
    };

  const { blocks, peerLists, peerList, reputation, policy } = federation;
  return {
    ...{ blocks, peerLists, peerList, reputation, policy },
    block: (request, actor) =>
      federation.block(request, actor.deviceId, (trx, { domain, blockedBy: _, blockedAt: __, ...details }) =>
        recording(actor, { action: "federation_blocked", target: domain, details: blockDetails(details) })(trx),
      ),
    unblock: (domain, actor) =>
      federation.unblock(domain, (trx, host) =>
        recording(actor, { action: "federation_unblocked", target: host, details: {} })(trx),
      ),
    async peers(page) {
      const found: Reputation[] = [];
      // One after the other, because a page must not take every connection of the pool.
      for (const { domain } of await federation.peers(page)) found.push(await federation.reputation(domain));
      return found;
    },
    async setPolicy(patch, actor, observer) {
      await rateLimits.take(actor.deviceId, "config_updates", observer);
      const policy = await federation.setPolicy(patch, actor.deviceId, async (trx, change) => {
        const details = { changes: changesOf(change), ...(patch.allowlist && { allowlist: patch.allowlist }) };
        await recording(actor, { action: "config_updated", target: policyTarget, details })(trx);
      });
      return { policy, at: clock.nowSeconds() };
    },
    backlogs: (limit) => federation.outbox.backlogs(db, limit),
    retry: (domain, actor) => federation.outbox.retry(federation.nameOf(domain), auditedBy(actor)),
    purge: (domain, actor) => federation.outbox.purge(federation.nameOf(domain), auditedBy(actor)),
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
