import type { Database, Db, Reader, Transaction } from "../database/db.js";

export interface SigningKeyRow {
  kid: string;
  public_key: Buffer;
  sealed_private: Buffer;
  created_at: number;
  retired_at: number | null;
  revoked_at: number | null;
}

type NewSigningKey = Pick<SigningKeyRow, "kid" | "public_key" | "sealed_private" | "created_at">;

/** Oldest first. */
export function readSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  const sql = `
    select kid, public_key, sealed_private, created_at, retired_at, revoked_at
    from signing_keys
    order by created_at, kid`;
  return db.rows(sql);
}

/** Differs after every change of the keys. */
export const signingKeysVersion = `
  select string_agg(concat(kid, ' ', retired_at, ' ', revoked_at), ',') from signing_keys`;

/** Runs `work` while no other node adds, retires or revokes keys. */
export function withKeysLocked<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(async (trx) => {
    await trx.run("select pg_advisory_xact_lock(hashtextextended('mls-relay signing keys', 0))");
    return work(trx);
  });
}

export async function insertSigningKey(db: Db, key: NewSigningKey): Promise<void> {
  const sql = `
    insert into signing_keys (kid, public_key, sealed_private, created_at)
    values (:kid::text, :public_key::bytea, :sealed_private::bytea, :created_at::bigint)`;
  await db.run(sql, { ...key });
}

/** Retires every key but one: the others now only verify. */
export async function retireOtherKeys(db: Db, kid: string, now: number): Promise<void> {
  const sql = `
    update signing_keys
    set retired_at = :now::bigint
    where kid <> :kid::text and retired_at is null`;
  await db.run(sql, { kid, now });
}

/** False if there is no such key, or if it was revoked before. */
export async function revokeSigningKey(db: Db, kid: string, now: number): Promise<boolean> {
  const sql = `
    update signing_keys
    set revoked_at = :now::bigint, retired_at = coalesce(retired_at, :now::bigint)
    where kid = :kid::text and revoked_at is null
    returning kid`;
  return (await db.rows(sql, { kid, now })).length > 0;
}

/** Removes keys that were retired before a given time. Their tokens can no longer be verified. */
export async function deleteKeysRetiredBefore(db: Db, moment: number): Promise<void> {
  await db.run("delete from signing_keys where retired_at < :moment::bigint", { moment });
}

/** The ids of all keys. Two databases that have one in common are of the same relay. */
export async function readKeyIds(db: Reader): Promise<string[]> {
  return (await db.rows<{ kid: string }>("select kid from signing_keys")).map(({ kid }) => kid);
}
