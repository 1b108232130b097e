import { type Db, rows } from "../platform/database/connection.js";

/** An invite made by this server. Times are Unix seconds. */
export interface StoredInvite {
  jti: string;
  maxUses: number;
  expiresAt: number;
  revokedAt: number | null;
  createdBy: string;
  createdAt: number;
}

/** Keeps a new invite. */
export async function insertInvite(db: Db, invite: Omit<StoredInvite, "revokedAt">): Promise<void> {
  await rows(
    db,
    `insert into invites (jti, max_uses, expires_at, created_by, created_at)
     values (:jti, :maxUses::int, :expiresAt::bigint, :createdBy, :createdAt::bigint)`,
    { ...invite },
  );
}

/** An invite of this server. It cannot be revoked before the transaction ends. */
export async function lockInvite(db: Db, jti: string): Promise<StoredInvite | undefined> {
  const [invite] = await rows<StoredInvite>(
    db,
    `select jti, max_uses as "maxUses", expires_at as "expiresAt", revoked_at as "revokedAt",
            created_by as "createdBy", created_at as "createdAt"
     from invites where jti = :jti for share`,
    { jti },
  );
  return invite;
}

/** Counts one more use of an invite, of whichever issuer; false when it is used up. One atomic statement. */
export async function countInviteUse(
  db: Db,
  use: { issuer: string; jti: string; maxUses: number; expiresAt: number },
): Promise<boolean> {
  const counted = await rows(
    db,
    `insert into invite_uses (issuer, jti, uses, expires_at)
     values (:issuer, :jti, 1, :expiresAt::bigint)
     on conflict (issuer, jti) do update set uses = invite_uses.uses + 1
     where invite_uses.uses < :maxUses::int
     returning uses`,
    use,
  );
  return counted.length > 0;
}

/** Forgets invites, and uses of invites, that expired before a moment: they can be used no more. */
export async function deleteExpiredInvites(db: Db, before: number): Promise<void> {
  await rows(db, "delete from invites where expires_at <= :before::bigint", { before });
  await rows(db, "delete from invite_uses where expires_at <= :before::bigint", { before });
}
