import type { Db } from "../database/db.js";

/**
 * Begins to answer a claim for one address; false if the answer is stored already. A concurrent transaction that answers the same
 * claim is waited for. An answer that has expired is dropped.
 */
export async function beginClaim(db: Db, claim: { claim: Buffer; now: number; expiresAt: number }): Promise<boolean> {
  const begun = await db.rows(
    `insert into key_package_claims (claim, expires_at) values (:claim::bytea, :expiresAt::bigint)
     on conflict (claim) do update set sealed = null, expires_at = excluded.expires_at
       where key_package_claims.expires_at <= :now::bigint
     returning 1`,
    claim,
  );
  return begun.length > 0;
}

/** Stores the answer, in the transaction that has begun it. */
export async function finishClaim(db: Db, answer: { claim: Buffer; sealed: Buffer }): Promise<void> {
  await db.run("update key_package_claims set sealed = :sealed::bytea where claim = :claim::bytea", answer);
}

/** The stored answer, unless it has expired. */
export async function readClaim(db: Db, claim: { claim: Buffer; now: number }): Promise<Buffer | undefined> {
  const found = await db.one<{ sealed: Buffer }>(
    `select sealed from key_package_claims
     where claim = :claim::bytea and expires_at > :now::bigint and sealed is not null`,
    claim,
  );
  return found?.sealed;
}

/** Deletes up to `limit` expired answers and returns how many. Locked ones are left for a later run. */
export async function deleteExpiredClaims(db: Db, range: { now: number; limit: number }): Promise<number> {
  const deleted = await db.rows(
    `delete from key_package_claims
     where claim = any(array(
       select claim from key_package_claims
       where expires_at <= :now::bigint order by expires_at limit :limit::integer
       for update skip locked))
     returning 1`,
    range,
  );
  return deleted.length;
}
