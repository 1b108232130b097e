import { type Db, rows } from "../platform/database/connection.js";
import { type Download, type Kind, packageRowBytes, type StoredPackage } from "./package.js";

/** Names a package of one kind; under another kind it is not found. */
export interface Address {
  kind: Kind;
  segment: string;
}

/** Keeps a new package. */
export async function insertPackage(db: Db, stored: StoredPackage): Promise<void> {
  await rows(
    db,
    `insert into info_packages (segment, kind, ciphertext, package_type, created_at, expires_at, max_uses,
                                uses_remaining, uploader, revocation_hash, charged_bytes)
     values (:segment, :kind, :ciphertext::bytea, :packageType::text, :createdAt::bigint, :expiresAt::bigint,
             :maxUses::integer, :maxUses::integer, :uploader::text, :revocationHash::bytea, :chargedBytes::bigint)`,
    { ...stored, ciphertext: asBuffer(stored.ciphertext), revocationHash: asBufferOrNull(stored.revocationHash) },
  );
}

/**
 * Takes one use of a package whose uses are limited, in one atomic statement; `undefined` where none is left or there
 * is no such package. The inner query waits for a use that is being taken at the same time and then sees its row as
 * that one left it. The last use takes the ciphertext out of the table, and what it was charged off the balance.
 */
export async function takeUse(db: Db, asked: Address & { now: number }): Promise<Download | undefined> {
  const [taken] = await rows<Download>(
    db,
    `with gone as (
       update info_packages as p
       set uses_remaining = p.uses_remaining - 1,
           ciphertext = case when p.uses_remaining = 1 then null else p.ciphertext end,
           charged_bytes = case when p.uses_remaining = 1 then least(p.charged_bytes, :rowBytes::bigint)
                                else p.charged_bytes end
       from (
         select segment, ciphertext, charged_bytes from info_packages
         where segment = :segment and kind = :kind and expires_at > :now::bigint and uses_remaining > 0
         for update
       ) as before
       where p.segment = before.segment
       returning before.ciphertext, p.package_type as "packageType", p.created_at as "createdAt",
                 p.expires_at as "expiresAt", p.uses_remaining as "usesRemaining",
                 before.charged_bytes - p.charged_bytes as freed
     )${takenOffBalance('ciphertext, "packageType", "createdAt", "expiresAt", "usesRemaining"')}`,
    { ...asked, rowBytes: packageRowBytes },
  );
  return taken;
}

/** A package as it stands, an expired one included; `ciphertext` is null once it is used up. */
export type Found = Omit<Download, "ciphertext"> &
  Pick<StoredPackage, "uploader" | "revocationHash"> & { ciphertext: Buffer | null };

export async function findPackage(db: Db, asked: Address): Promise<Found | undefined> {
  const [found] = await rows<Found>(
    db,
    `select ciphertext, package_type as "packageType", created_at as "createdAt", expires_at as "expiresAt",
            uses_remaining as "usesRemaining", uploader, revocation_hash as "revocationHash"
     from info_packages where segment = :segment and kind = :kind`,
    { ...asked },
  );
  return found;
}

/** Deletes a package; false where there is none any more that could be downloaded. */
export async function deletePackage(db: Db, asked: Address & { now: number }): Promise<boolean> {
  const deleted = await rows(
    db,
    `with gone as (
       delete from info_packages
       where segment = :segment and kind = :kind and expires_at > :now::bigint and ciphertext is not null
       returning segment, charged_bytes as freed
     )${takenOffBalance("segment")}`,
    { ...asked },
  );
  return deleted.length > 0;
}

/** Deletes a package whose time is over. */
export async function deleteIfExpired(db: Db, asked: Address & { now: number }): Promise<void> {
  await rows(
    db,
    `with gone as (
       delete from info_packages where segment = :segment and kind = :kind and expires_at <= :now::bigint
       returning segment, charged_bytes as freed
     )${takenOffBalance("segment")}`,
    { ...asked },
  );
}

/** Removes up to `limit` packages whose time is over, the longest first; returns how many. */
export async function deleteExpired(db: Db, range: { now: number; limit: number }): Promise<number> {
  const deleted = await rows(
    db,
    `with gone as (
       delete from info_packages
       where segment = any(array(
         select segment from info_packages where expires_at <= :now::bigint order by expires_at limit :limit::integer
       )) and expires_at <= :now::bigint
       returning segment, charged_bytes as freed
     )${takenOffBalance("segment")}`,
    range,
  );
  return deleted.length;
}

/** Removes everything that these devices uploaded, and their windows. */
export async function deleteOfDevices(db: Db, ids: readonly string[]): Promise<void> {
  await rows(db, "delete from info_packages where uploader = any(:ids::text[])", { ids });
  await rows(db, "delete from info_package_uploads where device_id = any(:ids::text[])", { ids });
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function asBufferOrNull(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : asBuffer(bytes);
}

/** Uses up to `limit` packages of limited use up; returns how many. What they were charged stays until all is counted anew. */
export async function useUpSome(db: Db, limit: number): Promise<number> {
  const used = await rows(
    db,
    `update info_packages
     set uses_remaining = 0, ciphertext = null, charged_bytes = least(charged_bytes, :rowBytes::bigint)
     where segment in (select segment from info_packages where uses_remaining > 0 limit :limit::integer)
     returning 1`,
    { limit, rowBytes: packageRowBytes },
  );
  return used.length;
}

// The bytes that packages without an uploader take, all together: one row, whose lock is taken last by whoever adds, uses
// up or removes one, and held until the transaction ends. So the sum is exact, over all nodes.

/** Charges bytes; false where they would go beyond the limit. */
export async function charge(db: Db, { bytes, limit }: { bytes: number; limit: number }): Promise<boolean> {
  const charged = await rows(
    db,
    `update info_package_balance set anonymous_bytes = anonymous_bytes + :bytes::bigint
     where anonymous_bytes + :bytes::bigint <= :limit::bigint
     returning 1`,
    { bytes, limit },
  );
  return charged.length > 0;
}

/**
 * What follows a statement that is named `gone` and returns what it frees as `freed`: takes that off the balance, and gives
 * the columns of those rows.
 */
export function takenOffBalance(columns: string): string {
  return `, balanced as (
       update info_package_balance set anonymous_bytes = anonymous_bytes - sums.freed
       from (select sum(freed) as freed from gone) as sums
       where sums.freed > 0
     )
     select ${columns} from gone`;
}

/** Keeps all from changing the balance until the transaction ends. */
export async function lockBalance(db: Db): Promise<void> {
  await rows(db, "select 1 from info_package_balance for update");
}

/** Counts anew; the caller has locked the balance in a statement before this one. */
export async function recountBalance(db: Db): Promise<void> {
  await rows(
    db,
    `update info_package_balance
     set anonymous_bytes = (select coalesce(sum(charged_bytes), 0) from info_packages where charged_bytes > 0)`,
  );
}

/** The two windows of a device's uploads: fixed, each from the first upload counted in it. */
export interface UploadWindows {
  hourStartedAt: number;
  hourCount: number;
  dayStartedAt: number;
  dayCount: number;
}

export interface UploadConfig {
  now: number;
  hourSeconds: number;
  daySeconds: number;
  perHour: number;
  perDay: number;
}

/** Counts an upload in both windows, or in neither: false where one of them is full. One atomic statement. */
export async function countUpload(db: Db, deviceId: string, config: UploadConfig): Promise<boolean> {
  const counted = await rows(
    db,
    `insert into info_package_uploads as u (device_id, hour_started_at, hour_count, day_started_at, day_count)
     values (:deviceId, :now::bigint, 1, :now::bigint, 1)
     on conflict (device_id) do update
     set hour_started_at = case when u.hour_started_at <= :now::bigint - :hourSeconds::bigint
                                then :now::bigint else u.hour_started_at end,
         hour_count = case when u.hour_started_at <= :now::bigint - :hourSeconds::bigint then 1 else u.hour_count + 1 end,
         day_started_at = case when u.day_started_at <= :now::bigint - :daySeconds::bigint
                               then :now::bigint else u.day_started_at end,
         day_count = case when u.day_started_at <= :now::bigint - :daySeconds::bigint then 1 else u.day_count + 1 end
     where (u.hour_started_at <= :now::bigint - :hourSeconds::bigint or u.hour_count < :perHour::integer)
       and (u.day_started_at <= :now::bigint - :daySeconds::bigint or u.day_count < :perDay::integer)
     returning device_id`,
    { deviceId, ...config },
  );
  return counted.length > 0;
}

export async function findUploads(db: Db, deviceId: string): Promise<UploadWindows | undefined> {
  const [windows] = await rows<UploadWindows>(
    db,
    `select hour_started_at as "hourStartedAt", hour_count as "hourCount",
            day_started_at as "dayStartedAt", day_count as "dayCount"
     from info_package_uploads where device_id = :deviceId`,
    { deviceId },
  );
  return windows;
}

/** Forgets up to `limit` devices whose windows began before a moment; returns how many. */
export async function deleteOldUploads(db: Db, range: { before: number; limit: number }): Promise<number> {
  const deleted = await rows(
    db,
    `delete from info_package_uploads
     where device_id = any(array(
       select device_id from info_package_uploads
       where day_started_at <= :before::bigint order by day_started_at limit :limit::integer
     )) and day_started_at <= :before::bigint
     returning device_id`,
    range,
  );
  return deleted.length;
}
