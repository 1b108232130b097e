import type { Db, Statements } from "../database/db.js";
/** A slot as it is stored. */
export interface StoredSlot {
  contentHash: Buffer;
  /** Null once it has expired. */
  content: Buffer | null;
  /** Null once the content has expired. */
  signature: Buffer | null;
  /** Of a slot of several keys. */
  takerKey: Buffer | null;
  takerSignature: Buffer | null;
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
  takerKey: Buffer | null;
  takerSignature: Buffer | null;
  expiresAt: number;
  forgetAt: number;
  /** On which timeline of the database the signature is good; null for any. */
  timeline: string | null;
}

/** Stores slots, in this order, and returns the names of those that were free. Waits for transactions that take them as well. */
export async function insertSlots(db: Statements, taken: readonly NewSlot[]): Promise<Buffer[]> {
  const inserted = await db.rows<{ slot: Buffer }>(
    `insert into slots (slot, content, content_sha256, slot_key, signature, taker_key, taker_signature, expires_at, forget_at)
     select slot, content, content_sha256, slot_key, signature, taker_key, taker_signature, expires_at, forget_at
     from unnest(:slots::bytea[], :contents::bytea[], :hashes::bytea[], :keys::bytea[], :signatures::bytea[],
                 :takers::bytea[], :takerSignatures::bytea[], :expiries::bigint[], :forgettings::bigint[])
          as w (slot, content, content_sha256, slot_key, signature, taker_key, taker_signature, expires_at, forget_at)
     order by slot
     on conflict (slot) do nothing
     returning slot`,
    {
      slots: taken.map(({ slot }) => slot),
      contents: taken.map(({ content }) => content),
      hashes: taken.map(({ contentHash }) => contentHash),
      keys: taken.map(({ slotKey }) => slotKey),
      signatures: taken.map(({ signature }) => signature),
      takers: taken.map(({ takerKey }) => takerKey),
      takerSignatures: taken.map(({ takerSignature }) => takerSignature),
      expiries: taken.map(({ expiresAt }) => expiresAt),
      forgettings: taken.map(({ forgetAt }) => forgetAt),
    },
  );
  return inserted.map(({ slot }) => slot);
}

export async function readSlots(db: Statements, slots: readonly Buffer[]): Promise<(StoredSlot & { slot: Buffer })[]> {
  return db.rows(
    `select slot, content_sha256 as "contentHash", content, signature, slot_key as "slotKey", expires_at as "expiresAt",
       taker_key as "takerKey", taker_signature as "takerSignature"
     from slots where slot = any(:slots::bytea[])`,
    { slots },
  );
}

/** The bytes of content that these slots have, and whether they are taken at all: those that are not are missing. */
export async function readContentBytes(
  db: Statements,
  slots: readonly Buffer[],
): Promise<{ slot: Buffer; bytes: number }[]> {
  return db.rows(
    `select slot, coalesce(octet_length(content), 0) as bytes from slots where slot = any(:slots::bytea[])`,
    { slots },
  );
}

export async function readSlot(db: Statements, slot: Buffer): Promise<StoredSlot | undefined> {
  const [found] = await readSlots(db, [slot]);
  return found;
}

// The balance is the sum of the bytes of all content. It is one row. A transaction that adds or removes content changes it
// last and holds its lock until it ends, so the sum is exact over all nodes.

export async function readBalance(db: Statements): Promise<number> {
  const row = await db.one<{ bytes: number }>("select content_bytes as bytes from slot_balance");
  return row?.bytes ?? 0;
}

/** Adds bytes to the balance, unless it has more than `atMost` already. */
export async function charge(db: Statements, bytes: { bytes: number; atMost: number }): Promise<boolean> {
  const charged = await db.rows(
    `update slot_balance set content_bytes = content_bytes + :bytes::bigint
     where content_bytes <= :atMost::bigint returning 1`,
    bytes,
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
    `update slots set content = null, signature = null, taker_key = null, taker_signature = null
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
