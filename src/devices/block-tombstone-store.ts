import { type Db, rows } from "../platform/database/connection.js";

/** The block or ban that outlives a removed device. */
export interface BlockTombstone {
  hash: Uint8Array;
  blockedAt: number | null;
  bannedUntil: number | null;
}

/** Keeps marks of devices that are being removed. */
export async function insertTombstones(db: Db, tombstones: readonly BlockTombstone[], now: number): Promise<void> {
  if (tombstones.length === 0) return;
  await rows(
    db,
    `insert into device_marks (device_hash, blocked_at, banned_until, marked_at)
     select hash, blocked_at, banned_until, :now::bigint
     from unnest(:hashes::bytea[], :blocked::bigint[], :banned::bigint[]) as given (hash, blocked_at, banned_until)
     on conflict (device_hash) do update
     set blocked_at = excluded.blocked_at, banned_until = excluded.banned_until, marked_at = excluded.marked_at`,
    {
      now,
      hashes: tombstones.map((tombstone) => Buffer.from(tombstone.hash)),
      blocked: tombstones.map((tombstone) => tombstone.blockedAt),
      banned: tombstones.map((tombstone) => tombstone.bannedUntil),
    },
  );
}

/** Takes a mark out of the table; `undefined` if there is none. */
export async function takeTombstone(db: Db, hash: Uint8Array): Promise<Omit<BlockTombstone, "hash"> | undefined> {
  const [tombstone] = await rows<Omit<BlockTombstone, "hash">>(
    db,
    `delete from device_marks where device_hash = :hash
     returning blocked_at as "blockedAt", banned_until as "bannedUntil"`,
    { hash: Buffer.from(hash) },
  );
  return tombstone;
}

/** Removes up to `limit` marks of bans that have ended; returns how many. */
export async function deleteEndedTombstones(db: Db, range: { now: number; limit: number }): Promise<number> {
  const deleted = await rows(
    db,
    `delete from device_marks
     where device_hash = any(array(
       select device_hash from device_marks where blocked_at is null and banned_until <= :now::bigint
       order by banned_until limit :limit::int
     ))
     returning 1`,
    range,
  );
  return deleted.length;
}
