import { type Db, rows } from "../platform/database/connection.js";

export async function isChallengeUsed(db: Db, challenge: Uint8Array): Promise<boolean> {
  const found = await rows(db, "select 1 from admin_used_challenges where challenge = :challenge", {
    challenge: Buffer.from(challenge),
  });
  return found.length > 0;
}

/** Uses a challenge up; false if it was used before. Whoever comes second waits for the first one's transaction. */
export async function insertUsedChallenge(
  db: Db,
  used: { challenge: Uint8Array; expiresAt: number },
): Promise<boolean> {
  const inserted = await rows(
    db,
    `insert into admin_used_challenges (challenge, expires_at)
     values (:challenge, :expiresAt::bigint)
     on conflict (challenge) do nothing
     returning challenge`,
    { ...used, challenge: Buffer.from(used.challenge) },
  );
  return inserted.length > 0;
}

/** Forgets challenges that expired before a moment: their expiry refuses them from now on. */
export async function deleteExpiredChallenges(db: Db, before: number): Promise<void> {
  await rows(db, "delete from admin_used_challenges where expires_at <= :before::bigint", { before });
}
