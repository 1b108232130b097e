import type { Db } from "../database/db.js";

/** A slot as it is stored. */
export interface StoredSlot {
  contentHash: Buffer;
  /** Null once it has expired. */
  content: Buffer | null;
  /** Null once the content has expired. */
  signature: Buffer | null;
  slotKey: Buffer;
  /** Unix seconds. */
  expiresAt: number;
}

/** A slot to take. Bytes; times in Unix seconds. */
export interface NewSlot {
  slot: Buffer;
  content: Buffer;
  contentHash: Buffer;
  slotKey: Buffer;
  signature: Buffer;
  expiresAt: number;
  forgetAt: number;
}

/** Stores a slot; false if it was taken before. Waits for a concurrent transaction that takes the same slot. */
export async function insertSlot(db: Db, taken: NewSlot): Promise<boolean> {
  const inserted = await db.rows(
    `insert into slots (slot, content, content_sha256, slot_key, signature, expires_at, forget_at)
     values (:slot::bytea, :content::bytea, :contentHash::bytea, :slotKey::bytea, :signature::bytea,
             :expiresAt::bigint, :forgetAt::bigint)
     on conflict (slot) do nothing
     returning 1`,
    { ...taken },
  );
  return inserted.length > 0;
}

export async function readSlot(db: Db, slot: Buffer): Promise<StoredSlot | undefined> {
  const found = await db.one<StoredSlot>(
    `select content_sha256 as "contentHash", content, signature, slot_key as "slotKey", expires_at as "expiresAt"
     from slots where slot = :slot::bytea`,
    { slot },
  );
  return found;
}

// The balance is the sum of the bytes of all content. It is one row. A transaction that adds or removes content changes it
// last and holds its lock until it ends, so the sum is exact over all nodes.

/** Adds bytes to the balance; false if they would exceed the limit. */
export async function charge(db: Db, { bytes, limit }: { bytes: number; limit: number }): Promise<boolean> {
  const charged = await db.rows(
    `update slot_balance set content_bytes = content_bytes + :bytes::bigint
     where content_bytes + :bytes::bigint <= :limit::bigint
     returning 1`,
    { bytes, limit },
  );
  return charged.length > 0;
}

/** Up to `limit` slots whose content has expired, and its bytes. */
export async function findExpiredContent(
  db: Db,
  range: { now: number; limit: number },
): Promise<{ slot: Buffer; bytes: number }[]> {
  return db.rows(
    `-- every shard
     select slot, octet_length(content) as bytes from slots
     where content is not null and expires_at <= :now::bigint
     order by expires_at limit :limit::integer`,
    range,
  );
}

/** Removes the content of these slots; returns those that had some. */
export async function removeContent(db: Db, slots: readonly Buffer[]): Promise<Buffer[]> {
  const removed = await db.rows<{ slot: Buffer }>(
    `update slots set content = null, signature = null
     where slot = any(:slots::bytea[]) and content is not null
     returning slot`,
    { slots },
  );
  return removed.map(({ slot }) => slot);
}

/** Takes bytes off the balance. */
export async function discharge(db: Db, bytes: number): Promise<void> {
  await db.run("update slot_balance set content_bytes = content_bytes - :bytes::bigint", { bytes });
}

/** Deletes up to `limit` slots whose names may be given out again; returns how many. */
export async function forgetSlots(db: Db, range: { now: number; limit: number }): Promise<number> {
  const forgotten = await db.rows(
    `-- every shard
     delete from slots
     where slot = any(array(
       select slot from slots where forget_at <= :now::bigint and content is null
       order by forget_at limit :limit::integer
     ))
     returning 1`,
    range,
  );
  return forgotten.length;
}
