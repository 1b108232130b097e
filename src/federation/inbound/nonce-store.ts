import { type Db, rows } from "../../platform/database/connection.js";

/** Marks a nonce as used; false where it was already. */
export async function insertUsedNonce(db: Db, used: { nonce: Buffer; expiresAt: number }): Promise<boolean> {
  const inserted = await rows(
    db,
    `insert into used_nonces (nonce, expires_at) values (:nonce::bytea, :expiresAt::bigint)
     on conflict (nonce) do nothing
     returning nonce`,
    used,
  );
  return inserted.length > 0;
}

/** An expired nonce is refused whether or not it is remembered. */
export async function deleteExpiredNonces(db: Db, now: number): Promise<void> {
  await rows(db, "delete from used_nonces where expires_at <= :now::bigint", { now });
}
