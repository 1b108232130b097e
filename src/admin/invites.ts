import type { Knex } from "knex";
import type { AuditService } from "../audit/service.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import { inTransaction } from "../platform/database/connection.js";
import { parseDomain } from "../protocol/address.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import type { CreatedInvite, Invites, ListedInvite } from "../registration/service.js";
import { type Actor, auditedBy } from "./actor.js";

export interface InvitationRequest {
  maxUses: number;
  /** Unix seconds; the usual lifetime without it. */
  expiresAt?: number | undefined;
  /** As it was sent; this server without it. */
  domain?: string | undefined;
}

/** Invites in the hands of administrators. */
export interface Invitations {
  /** Throws INVALID_REQUEST for an end out of bounds and INVALID_ADDRESS for a malformed domain. */
  create(request: InvitationRequest, actor: Actor): Promise<CreatedInvite>;
  list(page: { limit: number; offset: number }): Promise<{ invites: ListedInvite[]; total: number }>;
  /** Answers when it was revoked, now or before. Throws NOT_FOUND. */
  revoke(id: string, actor: Actor): Promise<number>;
}

export interface InvitationsDeps {
  db: Knex;
  clock: Clock;
  domain: string;
  invites: Pick<Invites, "create" | "list" | "revoke">;
  audit: Pick<AuditService, "record">;
  config: Pick<Config, "inviteMaxLifetimeSeconds" | "inviteUsualLifetimeSeconds" | "federationAllowPrivate">;
}

/** Every invite made or revoked is recorded in the transaction that does it; the code is recorded nowhere. */
export function createInvitations(deps: InvitationsDeps): Invitations {
  const { db, clock, invites, audit } = deps;
  return {
    create({ maxUses, expiresAt, domain }, actor) {
      const lifetimeSeconds = lifetimeOf(expiresAt, { now: clock.nowSeconds(), config: deps.config });
      const audience = domain === undefined ? deps.domain : readDomain(domain, deps);
      const request = { maxUses, lifetimeSeconds, audience, createdBy: actor.deviceId };
      return inTransaction(db, async (trx) => {
        const made = await invites.create(trx, request);
        const details = { max_uses: maxUses, expires_at: made.expiresAt, domain: made.domain };
        await audit.record(trx, { ...auditedBy(actor), action: "invite_created", target: made.jti, details });
        return made;
      });
    },
    list: (page) => invites.list(db, page),
    revoke: (id, actor) =>
      inTransaction(db, async (trx) => {
        const revoked = await invites.revoke(trx, id);
        if (revoked === undefined) throw new RelayError("NOT_FOUND", "there is no such invite");
        if (revoked.now) {
          await audit.record(trx, { ...auditedBy(actor), action: "invite_revoked", target: id, details: {} });
        }
        return revoked.revokedAt;
      }),
  };
}

function lifetimeOf(
  expiresAt: number | undefined,
  { now, config }: { now: number; config: InvitationsDeps["config"] },
): number {
  if (expiresAt === undefined) return config.inviteUsualLifetimeSeconds;
  const lifetime = expiresAt - now;
  if (lifetime > 0 && lifetime <= config.inviteMaxLifetimeSeconds) return lifetime;
  throw invalidMember("expires_at", `must be in the future, at most ${config.inviteMaxLifetimeSeconds} seconds ahead`);
}

function readDomain(text: string, { domain, config }: Pick<InvitationsDeps, "domain" | "config">): string {
  const parsed = parseDomain(text, { ownDomain: domain, privateAllowed: config.federationAllowPrivate });
  if (parsed === undefined) throw new RelayError("INVALID_ADDRESS", `domain: ${text} is no server's domain`);
  return parsed;
}
