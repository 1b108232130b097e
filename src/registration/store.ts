import type { Db } from "../database/db.js";

/** A challenge as it is stored. Times are Unix seconds. */
export interface StoredChallenge {
  challenge: Uint8Array;
  publicKey: Uint8Array;
  iterations: number;
  createdAt: number;
  expiresAt: number;
  usedAt: number | null;
}

/** Stores a new challenge. */
export async function insertChallenge(db: Db, challenge: Omit<StoredChallenge, "usedAt">): Promise<void> {
  await db.run(
    `insert into registration_challenges (challenge, public_key, iterations, created_at, expires_at)
     values (:challenge, :publicKey, :iterations::bigint, :createdAt::bigint, :expiresAt::bigint)`,
    { ...challenge, challenge: Buffer.from(challenge.challenge), publicKey: Buffer.from(challenge.publicKey) },
  );
}

/** Finds the challenge with these 32 bytes. Used and expired ones are included until they are deleted. */
export async function findChallenge(db: Db, challenge: Uint8Array): Promise<StoredChallenge | undefined> {
  const row = await db.one<StoredChallenge>(
    `select challenge, public_key as "publicKey", iterations, created_at as "createdAt", expires_at as "expiresAt",
            used_at as "usedAt"
     from registration_challenges where challenge = :challenge`,
    { challenge: Buffer.from(challenge) },
  );
  return row;
}

/** Uses up a challenge; false if it was used before. A second request waits for the transaction of the first. */
export async function useChallenge(db: Db, challenge: Uint8Array, now: number): Promise<boolean> {
  const used = await db.rows(
    `update registration_challenges set used_at = :now::bigint
     where challenge = :challenge and used_at is null
     returning challenge`,
    { challenge: Buffer.from(challenge), now },
  );
  return used.length > 0;
}

/** Deletes up to `limit` challenges that expired before a time; returns how many. */
export async function deleteExpiredChallenges(db: Db, range: { before: number; limit: number }): Promise<number> {
  const deleted = await db.rows(
    `delete from registration_challenges
     where challenge in (
       select challenge from registration_challenges
       where expires_at <= :before::bigint order by expires_at limit :limit::int)
     returning challenge`,
    range,
  );
  return deleted.length;
}

/** Deletes every challenge. */
export async function deleteChallenges(db: Db): Promise<void> {
  await db.run("delete from registration_challenges");
}

/** An invite made by this server. Times are Unix seconds. */
interface StoredInvite {
  jti: string;
  maxUses: number;
  expiresAt: number;
  revokedAt: number | null;
  createdBy: string;
  createdAt: number;
  /** The domain where it can be redeemed. */
  domain: string;
}

const inviteColumns = `
  i.jti, max_uses as "maxUses", i.expires_at as "expiresAt", revoked_at as "revokedAt", created_by as "createdBy",
  created_at as "createdAt", domain`;

/** Stores a new invite, with the hash of its handle if it has one. */
export async function insertInvite(
  db: Db,
  invite: Omit<StoredInvite, "revokedAt"> & { handleHash: Uint8Array | null },
): Promise<void> {
  await db.run(
    `insert into invites (jti, max_uses, expires_at, created_by, created_at, domain, handle_hash)
     values (:jti, :maxUses::int, :expiresAt::bigint, :createdBy, :createdAt::bigint, :domain, :handleHash::bytea)`,
    { ...invite, handleHash: invite.handleHash && Buffer.from(invite.handleHash) },
  );
}

/** Finds the invite with this handle that has not expired. */
export async function findInviteByHandle(
  db: Db,
  { handleHash, now }: { handleHash: Uint8Array; now: number },
): Promise<StoredInvite | undefined> {
  const invite = await db.one<StoredInvite>(
    `select ${inviteColumns} from invites i where i.handle_hash = :handleHash and i.expires_at > :now::bigint`,
    { handleHash: Buffer.from(handleHash), now },
  );
  return invite;
}

/** Finds an invite of this server and keeps it from being revoked until the transaction ends. */
export async function lockInvite(db: Db, jti: string): Promise<StoredInvite | undefined> {
  const invite = await db.one<StoredInvite>(`select ${inviteColumns} from invites i where i.jti = :jti for share`, {
    jti,
  });
  return invite;
}

/** Lists invites that have not expired, the newest first, each with its uses on this server. */
export async function readInvites(
  db: Db,
  range: { issuer: string; now: number; limit: number; offset: number },
): Promise<(StoredInvite & { uses: number })[]> {
  return db.rows<StoredInvite & { uses: number }>(
    `select ${inviteColumns}, coalesce(u.uses, 0) as uses
     from invites i left join invite_uses u on u.issuer = :issuer and u.jti = i.jti
     where i.expires_at > :now::bigint
     order by i.created_at desc, i.jti limit :limit::int offset :offset::int`,
    range,
  );
}

export async function countInvites(db: Db, now: number): Promise<number> {
  const row = await db.one<{ count: number }>("select count(*) as count from invites where expires_at > :now::bigint", {
    now,
  });
  return row?.count ?? 0;
}

/** Revokes an invite; false if it is revoked already, has expired or does not exist. */
export async function updateRevoked(db: Db, jti: string, now: number): Promise<boolean> {
  const revoked = await db.rows(
    `update invites set revoked_at = :now::bigint
     where jti = :jti and revoked_at is null and expires_at > :now::bigint
     returning jti`,
    { jti, now },
  );
  return revoked.length > 0;
}

/** When an invite that has not expired was revoked; null if it was not, undefined if there is no such invite. */
export async function readRevokedAt(db: Db, jti: string, now: number): Promise<number | null | undefined> {
  const row = await db.one<{ revokedAt: number | null }>(
    `select revoked_at as "revokedAt" from invites where jti = :jti and expires_at > :now::bigint`,
    { jti, now },
  );
  return row?.revokedAt;
}

/** Counts a use of an invite of any issuer, in one atomic statement; false if the invite is used up. */
export async function countInviteUse(
  db: Db,
  use: { issuer: string; jti: string; maxUses: number; expiresAt: number },
): Promise<boolean> {
  const counted = await db.rows(
    `insert into invite_uses (issuer, jti, uses, expires_at)
     values (:issuer, :jti, 1, :expiresAt::bigint)
     on conflict (issuer, jti) do update set uses = invite_uses.uses + 1
     where invite_uses.uses < :maxUses::int
     returning uses`,
    use,
  );
  return counted.length > 0;
}

/** Deletes up to `limit` invites that expired before a time; returns how many. */
export async function deleteExpiredInvites(db: Db, range: { before: number; limit: number }): Promise<number> {
  const deleted = await db.rows(
    `delete from invites
     where jti = any(array(
       select jti from invites where expires_at <= :before::bigint order by expires_at limit :limit::int
     ))
     returning 1`,
    range,
  );
  return deleted.length;
}

/** Deletes up to `limit` counts of uses whose invites expired before a time; returns how many. */
export async function deleteExpiredUses(db: Db, range: { before: number; limit: number }): Promise<number> {
  const deleted = await db.rows(
    `delete from invite_uses as u
     using (
       select issuer, jti from invite_uses where expires_at <= :before::bigint order by expires_at limit :limit::int
     ) as old
     where u.issuer = old.issuer and u.jti = old.jti
     returning 1`,
    range,
  );
  return deleted.length;
}

/** Revokes every invite of this server, and marks invites of other servers that were used here as used up. */
export async function revokeAll(db: Db, now: number): Promise<void> {
  await db.run("update invites set revoked_at = :now::bigint where revoked_at is null", { now });
  await db.run("update invite_uses set uses = 2147483647");
}
