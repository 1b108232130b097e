import type { AuditService } from "../audit/service.js";
import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import { parseDomain } from "../protocol/address.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import { type CreatedInvite, type Invites, inviteLifetime } from "../registration/service.js";
import { type Actor, auditedBy } from "./actor.js";

interface NewInvite {
  maxUses: number;
  /** Unix seconds; by default the usual lifetime. */
  expiresAt?: number | undefined;
  /** The domain as it was sent; by default this server. */
  domain?: string | undefined;
}

/** Invites, as administrators manage them. */
export type InviteAdministration = ReturnType<typeof createInviteAdministration>;

export interface InviteAdministrationDeps {
  db: Database;
  clock: Clock;
  domain: string;
  invites: Pick<Invites, "create" | "list" | "revoke">;
  audit: Pick<AuditService, "record">;
  config: Parameters<typeof inviteLifetime>[1] & { readonly federationAllowPrivate: boolean };
}

/** Each creation and revocation is recorded in the transaction that performs it. The code is recorded nowhere. */
export function createInviteAdministration(deps: InviteAdministrationDeps) {
  const { db, clock, invites, audit, config } = deps;
  return {
    /** Creates an invite. Throws INVALID_REQUEST if `expiresAt` is out of bounds, or INVALID_ADDRESS if the domain is malformed. */
    create({ maxUses, expiresAt, domain }: NewInvite, actor: Actor): Promise<CreatedInvite> {
      const askedSeconds = expiresAt === undefined ? undefined : expiresAt - clock.nowSeconds();
      const lifetimeSeconds = inviteLifetime(askedSeconds, config);
      if (lifetimeSeconds === undefined) throw invalidExpiry(config.inviteMaxLifetimeSeconds);
      const audience = domain === undefined ? deps.domain : readDomain(domain, deps);
      const request = { maxUses, lifetimeSeconds, notAfter: expiresAt, audience, createdBy: actor.deviceId };
      return db.transaction(async (trx) => {
        const made = await invites.create(trx, request);
        const details = { max_uses: maxUses, expires_at: made.expiresAt, domain: made.domain };
        await audit.record(trx, { ...auditedBy(actor), action: "invite_created", target: made.jti, details });
        return made;
      });
    },
    list: (page: { limit: number; offset: number }) => invites.list(db, page),
    /** Revokes an invite; returns when it was revoked, now or before (Unix seconds). Throws NOT_FOUND. */
    revoke: (id: string, actor: Actor) =>
      db.transaction(async (trx) => {
        const revoked = await invites.revoke(trx, id);
        if (revoked === undefined) throw new RelayError("NOT_FOUND", "there is no such invite");
        if (revoked.now) {
          await audit.record(trx, { ...auditedBy(actor), action: "invite_revoked", target: id, details: {} });
        }
        return revoked.revokedAt;
      }),
  };
}

function readDomain(text: string, { domain, config }: Pick<InviteAdministrationDeps, "domain" | "config">): string {
  const parsed = parseDomain(text, { ownDomain: domain, privateAllowed: config.federationAllowPrivate });
  if (parsed === undefined) throw new RelayError("INVALID_ADDRESS", `domain: ${text} is not the domain of a server`);
  return parsed;
}

function invalidExpiry(longestSeconds: number): RelayError {
  return invalidMember("expires_at", `must be in the future, at most ${longestSeconds} seconds ahead`);
}
