import { type Db, rows } from "../platform/database/connection.js";

/** A challenge as it is kept. Times are Unix seconds. */
export interface StoredChallenge {
  challenge: Uint8Array;
  publicKey: Uint8Array;
  iterations: number;
  createdAt: number;
  expiresAt: number;
  usedAt: number | null;
}

/** Keeps a new challenge. */
export async function insertChallenge(db: Db, challenge: Omit<StoredChallenge, "usedAt">): Promise<void> {
  await rows(
    db,
    `insert into registration_challenges (challenge, public_key, iterations, created_at, expires_at)
     values (:challenge, :publicKey, :iterations::bigint, :createdAt::bigint, :expiresAt::bigint)`,
    { ...challenge, challenge: Buffer.from(challenge.challenge), publicKey: Buffer.from(challenge.publicKey) },
  );
}

/** The challenge with these 32 bytes, used and expired ones included until they are removed. */
export async function findChallenge(db: Db, challenge: Uint8Array): Promise<StoredChallenge | undefined> {
  const [row] = await rows<StoredChallenge>(
    db,
    `select challenge, public_key as "publicKey", iterations, created_at as "createdAt", expires_at as "expiresAt",
            used_at as "usedAt"
     from registration_challenges where challenge = :challenge`,
    { challenge: Buffer.from(challenge) },
  );
  return row;
}

/** Uses a challenge up; false if it was used before. Whoever comes second waits for the first one's transaction. */
export async function useChallenge(db: Db, challenge: Uint8Array, now: number): Promise<boolean> {
  const used = await rows(
    db,
    `update registration_challenges set used_at = :now::bigint
     where challenge = :challenge and used_at is null
     returning challenge`,
    { challenge: Buffer.from(challenge), now },
  );
  return used.length > 0;
}

/** Removes up to `limit` challenges that expired before a moment. */
export async function deleteExpiredChallenges(db: Db, range: { before: number; limit: number }): Promise<number> {
  const deleted = await rows(
    db,
    `delete from registration_challenges
     where challenge in (
       select challenge from registration_challenges
       where expires_at <= :before::bigint order by expires_at limit :limit::int)
     returning challenge`,
    range,
  );
  return deleted.length;
}

/** Removes every challenge. */
export async function deleteChallenges(db: Db): Promise<void> {
  await rows(db, "delete from registration_challenges");
}
