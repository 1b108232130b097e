import type { Db } from "../database/db.js";
import type { BlobLayout } from "./storage/layout.js";

/** A blob as it is stored. Times are Unix seconds. No column tells who created it, or when. */
export interface StoredBlob {
  /** SHA-256 of the id. */
  name: Buffer;
  size: number;
  partBytes: number;
  uploadReference: string | null;
  uploadHash: Buffer;
  deleteHash: Buffer;
  isComplete: boolean;
  /** Null if downloads are not counted. */
  downloadsLeft: number | null;
  expiresAt: number;
  /** When the row is removed: when the upload is abandoned, the blob expires, or its last download has ended. */
  endsAt: number;
}

type NewBlob = Omit<StoredBlob, "isComplete"> & { partRequests: number };

const columns = `name, size, part_bytes as "partBytes", upload_reference as "uploadReference", upload_hash as "uploadHash",
  delete_hash as "deleteHash", is_complete as "isComplete", downloads_left as "downloadsLeft", expires_at as "expiresAt",
  ends_at as "endsAt"`;

/** Stores a blob and charges its bytes to the balance; false if the balance would exceed `limit`. */
export async function insertBlob(db: Db, blob: NewBlob, { limit }: { limit: number }): Promise<boolean> {
  const inserted = await db.rows(
    `with charged as (
       update blob_balance set bytes = bytes + :size::bigint where bytes + :size::bigint <= :limit::bigint returning 1
     )
     insert into blobs (name, size, part_bytes, upload_reference, upload_hash, delete_hash, downloads_left, part_requests,
                        expires_at, ends_at)
     select :name::bytea, :size::bigint, :partBytes::integer, :uploadReference::text, :uploadHash::bytea, :deleteHash::bytea,
            :downloadsLeft::integer, :partRequests::integer, :expiresAt::bigint, :endsAt::bigint
     from charged
     returning 1`,
    { ...blob, limit },
  );
  return inserted.length > 0;
}

/** A blob that has not ended. */
export async function findBlob(db: Db, { name, now }: { name: Buffer; now: number }): Promise<StoredBlob | undefined> {
  const sql = `select ${columns} from blobs where name = :name and ends_at > :now::bigint and not is_removed`;
  return db.one<StoredBlob>(sql, { name, now });
}

/** What uploads may still write. */
export async function readPendingBytes(db: Db): Promise<number> {
  const row = await db.one<{ bytes: number }>(
    "select coalesce(sum(size), 0)::bigint as bytes from blobs where not is_complete",
  );
  return row?.bytes ?? 0;
}

/** The bytes that are reserved for all blobs. */
export async function readBalance(db: Db): Promise<number> {
  return (await db.one<{ bytes: number }>("select bytes from blob_balance"))?.bytes ?? 0;
}

/** A part has arrived: extends the upload, and returns the blob, unless it has ended. */
export async function extendUpload(
  db: Db,
  at: { name: Buffer; now: number; idleSeconds: number },
): Promise<StoredBlob | undefined> {
  return db.one<StoredBlob>(
    `update blobs
     set ends_at = case when is_complete then ends_at else least(expires_at, :now::bigint + :idleSeconds::bigint) end
     where name = :name and ends_at > :now::bigint and not is_removed
     returning ${columns}`,
    at,
  );
}

/** Counts a request that uploads a part, and leaves it time to arrive. False if the blob may have no more, or is complete. */
export async function countPart(
  db: Db,
  { name, now, seconds }: { name: Buffer; now: number; seconds: number },
): Promise<boolean> {
  const counted = await db.rows(
    `update blobs
     set part_requests = part_requests - 1, ends_at = least(expires_at, greatest(ends_at, :now::bigint + :seconds::bigint))
     where name = :name and not is_complete and not is_removed and ends_at > :now::bigint and part_requests > 0
     returning 1`,
    { name, now, seconds },
  );
  return counted.length > 0;
}

/** False if the blob has ended. */
export async function markComplete(db: Db, { name, now }: { name: Buffer; now: number }): Promise<boolean> {
  const marked = await db.rows(
    `update blobs set is_complete = true, ends_at = expires_at
     where name = :name and not is_complete and not is_removed and ends_at > :now::bigint
     returning 1`,
    { name, now },
  );
  return marked.length > 0;
}

/** Counts a download, unless one of this id was counted a while ago; false if the blob may have no more. Runs in a transaction. */
export async function countDownload(
  db: Db,
  { name, download, now, seconds }: { name: Buffer; download: Buffer | null; now: number; seconds: number },
): Promise<boolean> {
  await db.run("select 1 from blobs where name = :name for update", { name });
  if (download !== null) {
    const open = await db.one(
      "select 1 from blob_downloads where name = :name and download = :download and ends_at > :now::bigint",
      { name, download, now },
    );
    if (open !== undefined) return true;
  }
  const counted = await db.rows(
    `update blobs
     set downloads_left = downloads_left - 1,
         ends_at = case when downloads_left = 1 then least(ends_at, :now::bigint + :seconds::bigint) else ends_at end
     where name = :name and downloads_left > 0 and ends_at > :now::bigint and not is_removed
     returning 1`,
    { name, now, seconds },
  );
  if (counted.length === 0) return false;
  if (download === null) return true;
  await db.run(
    `insert into blob_downloads (name, download, ends_at) values (:name, :download, :now::bigint + :seconds::bigint)
     on conflict (name, download) do update set ends_at = excluded.ends_at`,
    { name, download, now, seconds },
  );
  return true;
}

/** From now on the blob is not found. False if it was removed already. */
export async function markRemoved(db: Db, name: Buffer): Promise<boolean> {
  const sql = "update blobs set is_removed = true where name = :name and not is_removed returning 1";
  return (await db.rows(sql, { name })).length > 0;
}

/** Marks up to `limit` blobs that have ended, and returns them with those whose removal was interrupted. */
export async function takeEnded(db: Db, range: { now: number; limit: number }): Promise<StoredBlob[]> {
  return db.rows<StoredBlob>(
    `update blobs set is_removed = true
     where name in (
       select name from blobs where is_removed or ends_at <= :now::bigint order by ends_at limit :limit::integer
       for update skip locked
     )
     returning ${columns}`,
    range,
  );
}

/** Forgets a blob whose bytes are removed, and takes them off the balance. */
export async function deleteRow(db: Db, name: Buffer): Promise<void> {
  await db.run(
    `with counted as (delete from blob_downloads where name = :name),
     deleted as (delete from blobs where name = :name and is_removed returning size)
     update blob_balance set bytes = bytes - deleted.size from deleted`,
    { name },
  );
}

export async function deleteEndedDownloads(db: Db, { now }: { now: number }): Promise<void> {
  await db.run("delete from blob_downloads where ends_at <= :now::bigint", { now });
}

/** How many blobs there are, and the bytes that are reserved for them. */
export async function countBlobs(db: Db): Promise<{ count: number; bytes: number }> {
  const row = await db.one<{ count: number; bytes: number }>(
    "select count(*) as count, coalesce(sum(size), 0)::bigint as bytes from blobs where not is_removed",
  );
  return row ?? { count: 0, bytes: 0 };
}

/** Ends blobs whose downloads are counted: a restored database has forgotten some of the downloads. */
export async function voidCountedBlobs(db: Db): Promise<void> {
  await db.run("update blobs set is_removed = true where downloads_left is not null");
}

/** Some complete blobs that have not ended, the last to end first. */
export async function findSomeComplete(db: Db, range: { now: number; limit: number }): Promise<StoredBlob[]> {
  return db.rows<StoredBlob>(
    `select ${columns} from blobs
     where is_complete and not is_removed and ends_at > :now::bigint
     order by ends_at desc limit :limit::integer`,
    range,
  );
}

export function layoutOf({ name, size, partBytes, uploadReference }: StoredBlob): BlobLayout {
  return { name: name.toString("hex"), size, partBytes, uploadReference };
}
