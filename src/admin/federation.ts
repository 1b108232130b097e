import type { Knex } from "knex";
import type { AuditAction, AuditService } from "../audit/service.js";
import type {
  Backlog,
  Block,
  BlockRequest,
  FederationPolicy,
  FederationService,
  Reputation,
} from "../federation/service.js";
import type { Clock } from "../platform/cluster/clock.js";
import { type Actor, auditedBy } from "./actor.js";
import { changesOf } from "./configuration.js";
import type { AdminAllowances } from "./rate-limits.js";

/** Other servers in the hands of administrators. Each deed is recorded in the transaction that does it. */
export interface Federating {
  /** Throws INVALID_ADDRESS, or INVALID_REQUEST for an end that lies in the past. */
  block(request: BlockRequest, actor: Actor): Promise<Block>;
  /** Throws INVALID_ADDRESS, NOT_FOUND. */
  unblock(domain: string, actor: Actor): Promise<{ domain: string; unblockedAt: number }>;
  blocks(page: { limit: number; offset: number }): Promise<{ blocks: Block[]; total: number }>;
  /** Throws INVALID_ADDRESS, SERVER_UNREACHABLE. */
  reputation(domain: string): Promise<Reputation>;
  policy(): Promise<FederationPolicy>;
  /** Throws INVALID_ADDRESS, INVALID_CONFIG, RATE_LIMIT_EXCEEDED. */
  setPolicy(patch: Partial<FederationPolicy>, actor: Actor): Promise<{ policy: FederationPolicy; at: number }>;
  backlogs(limit: number): Promise<Backlog[]>;
  /** Throws INVALID_ADDRESS, NOT_FOUND. */
  retry(domain: string, actor: Actor): Promise<void>;
  /** The number of messages that were dropped. Throws INVALID_ADDRESS, NOT_FOUND. */
  purge(domain: string, actor: Actor): Promise<number>;
}

const policyTarget = "federation policy";

export function createFederating(deps: {
  db: Knex;
  clock: Clock;
  federation: FederationService;
  audit: Pick<AuditService, "record">;
  allowances: Pick<AdminAllowances, "take">;
}): Federating {
  const { db, clock, federation, audit, allowances } = deps;
  const recording =
    (actor: Actor, entry: { action: AuditAction; target: string; details: Readonly<Record<string, unknown>> }) =>
    async (trx: Knex.Transaction): Promise<void> => {
      await audit.record(trx, { ...auditedBy(actor), ...entry });
    };

  return {
    block: (request, actor) =>
      federation.block(request, actor.deviceId, (trx, { domain, blockedBy: _, blockedAt: __, ...details }) =>
        recording(actor, { action: "federation_blocked", target: domain, details: spelled(details) })(trx),
      ),
    unblock: (domain, actor) =>
      federation.unblock(domain, (trx, host) =>
        recording(actor, { action: "federation_unblocked", target: host, details: {} })(trx),
      ),
    blocks: (page) => federation.blocks(db, page),
    reputation: (domain) => federation.reputation(db, domain),
    policy: () => federation.policy(db),
    async setPolicy(patch, actor) {
      await allowances.take(actor.deviceId, "config_updates");
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

function spelled({
  reason,
  expiresAt,
  category,
  severity,
}: Pick<Block, "reason" | "expiresAt" | "category" | "severity">) {
  return { reason, expires_at: expiresAt, reason_category: category, severity };
}
