import type { Db } from "../database/db.js";
import { type Download, type Kind, packageRowBytes, type StoredPackage } from "./package.js";

/** Identifies a package. A package is found only under its own kind. */
export interface PackageKey {
  kind: Kind;
  segment: string;
}

/** Stores a new package. */
export async function insertPackage(db: Db, stored: StoredPackage): Promise<void> {
  await db.run(
    `insert into info_packages (segment, kind, ciphertext, package_type, created_at, expires_at, max_uses,
                                uses_remaining, uploader, revocation_hash, charged_bytes)
     values (:segment, :kind, :ciphertext::bytea, :packageType::text, :createdAt::bigint, :expiresAt::bigint,
             :maxUses::integer, :maxUses::integer, :uploader::text, :revocationHash::bytea, :chargedBytes::bigint)`,
    { ...stored, ciphertext: asBuffer(stored.ciphertext), revocationHash: asBufferOrNull(stored.revocationHash) },
  );
}

/**
 * Takes one use of a package with limited uses, in one atomic statement; `undefined` if none is left or there is no such
 * package. The inner query waits for a concurrent use and then sees the row that it left. The last use deletes the
 * ciphertext and takes its bytes off the balance, unless it is kept for downloads that may come again.
 */
export async function takeUse(
  db: Db,
  { keptUntil = null, ...asked }: PackageKey & { now: number; keptUntil?: number | null },
): Promise<Download | undefined> {
  const taken = await db.one<Download>(
    `with removed as (
       update info_packages as p
       set uses_remaining = p.uses_remaining - 1,
           ciphertext = case when p.uses_remaining = 1 and before.kept_until is null then null else p.ciphertext end,
           kept_until = case when p.uses_remaining = 1 then before.kept_until end,
           charged_bytes = case when p.uses_remaining = 1 and before.kept_until is null
                                then least(p.charged_bytes, :rowBytes::bigint) else p.charged_bytes end
       from (
         select segment, ciphertext, charged_bytes,
                coalesce(:keptUntil::bigint,
                         (select max(ends_at) from info_package_downloads as d
                          where d.segment = info_packages.segment and ends_at > :now::bigint)) as kept_until
         from info_packages
         where segment = :segment and kind = :kind and expires_at > :now::bigint and uses_remaining > 0
         for update
       ) as before
       where p.segment = before.segment
       returning before.ciphertext, p.package_type as "packageType", p.created_at as "createdAt",
                 p.expires_at as "expiresAt", p.uses_remaining as "usesRemaining",
                 before.charged_bytes - p.charged_bytes as freed
     )${subtractFreed('ciphertext, "packageType", "createdAt", "expiresAt", "usesRemaining"')}`,
    { ...asked, keptUntil, rowBytes: packageRowBytes },
  );
  return taken;
}

/** A download by its hash, of a package with limited uses. */
export type NamedDownload = PackageKey & { download: Buffer; now: number };

/** The package again, if this download has been counted. */
export async function readDownload(db: Db, asked: NamedDownload): Promise<Download | undefined> {
  return db.one<Download>(
    `select ciphertext, package_type as "packageType", created_at as "createdAt", p.expires_at as "expiresAt",
            uses_remaining as "usesRemaining"
     from info_package_downloads as d join info_packages as p on p.segment = d.segment
     where d.segment = :segment and d.download = :download and d.ends_at > :now::bigint and p.kind = :kind
           and p.expires_at > :now::bigint and p.ciphertext is not null
           and (p.uses_remaining > 0 or p.kept_until > :now::bigint)`,
    { ...asked },
  );
}

/** Whether the package has limited uses, and some are left. */
export async function hasUses(db: Db, asked: PackageKey & { now: number }): Promise<boolean> {
  const found = await db.one(
    `select 1 from info_packages
     where segment = :segment and kind = :kind and expires_at > :now::bigint and uses_remaining > 0`,
    { ...asked },
  );
  return found !== undefined;
}

/** Begins a download; false if it has been begun, also by a request that has not been answered yet, for which it waits. */
export async function beginDownload(
  db: Db,
  { segment, download, now, endsAt }: NamedDownload & { endsAt: number },
): Promise<boolean> {
  const begun = await db.rows(
    `insert into info_package_downloads as d (segment, download, ends_at) values (:segment, :download, :endsAt::bigint)
     on conflict (segment, download) do update set ends_at = excluded.ends_at where d.ends_at <= :now::bigint
     returning 1`,
    { segment, download, now, endsAt },
  );
  return begun.length > 0;
}

export async function forgetDownload(db: Db, { segment, download }: NamedDownload): Promise<void> {
  await db.run("delete from info_package_downloads where segment = :segment and download = :download", {
    segment,
    download,
  });
}

/**
 * Deletes the ciphertext of up to `limit` used-up packages that were kept for downloads; returns how many. The balance is wrong until
 * `recountBalance`.
 */
export async function endKept(db: Db, range: { now: number; limit: number }): Promise<number> {
  const ended = await db.rows(
    `update info_packages
     set ciphertext = null, kept_until = null, charged_bytes = least(charged_bytes, :rowBytes::bigint)
     where segment in (select segment from info_packages where kept_until <= :now::bigint limit :limit::integer)
           and kept_until <= :now::bigint
     returning 1`,
    { ...range, rowBytes: packageRowBytes },
  );
  return ended.length;
}

export async function deleteEndedDownloads(db: Db, { now }: { now: number }): Promise<void> {
  await db.run("delete from info_package_downloads where ends_at <= :now::bigint", { now });
}

/** A package as it is stored, possibly expired. `ciphertext` is null once it is used up. */
export type Found = Omit<Download, "ciphertext"> &
  Pick<StoredPackage, "uploader" | "revocationHash"> & { ciphertext: Buffer | null };

/** Finds a package, expired or not. */
export async function findPackage(db: Db, asked: PackageKey): Promise<Found | undefined> {
  const found = await db.one<Found>(
    `select ciphertext, package_type as "packageType", created_at as "createdAt", expires_at as "expiresAt",
            uses_remaining as "usesRemaining", uploader, revocation_hash as "revocationHash"
     from info_packages where segment = :segment and kind = :kind`,
    { ...asked },
  );
  return found;
}

/** Deletes a package; false if there is none that could still be downloaded. */
export async function deletePackage(db: Db, asked: PackageKey & { now: number }): Promise<boolean> {
  const deleted = await db.rows(
    `with removed as (
       delete from info_packages
       where segment = :segment and kind = :kind and expires_at > :now::bigint and ciphertext is not null
             and uses_remaining is distinct from 0
       returning segment, charged_bytes as freed
     )${subtractFreed("segment")}`,
    { ...asked },
  );
  return deleted.length > 0;
}

/** Deletes a package if it has expired. */
export async function deleteIfExpired(db: Db, asked: PackageKey & { now: number }): Promise<void> {
  await db.run(
    `with removed as (
       delete from info_packages where segment = :segment and kind = :kind and expires_at <= :now::bigint
       returning segment, charged_bytes as freed
     )${subtractFreed("segment")}`,
    { ...asked },
  );
}

/** Deletes up to `limit` expired packages, the oldest expiry first; returns how many. */
export async function deleteExpired(db: Db, range: { now: number; limit: number }): Promise<number> {
  const deleted = await db.rows(
    `with removed as (
       delete from info_packages
       where segment = any(array(
         select segment from info_packages where expires_at <= :now::bigint order by expires_at limit :limit::integer
       )) and expires_at <= :now::bigint
       returning segment, charged_bytes as freed
     )${subtractFreed("segment")}`,
    range,
  );
  return deleted.length;
}

/** Deletes the packages that these devices uploaded, and their rate limit windows. */
export async function deleteOfDevices(db: Db, ids: readonly string[]): Promise<void> {
  await db.run("delete from info_packages where uploader = any(:ids::text[])", { ids });
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function asBufferOrNull(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : asBuffer(bytes);
}

/** Uses up to `limit` packages with limited uses up; returns how many. The balance is wrong until `recountBalance`. */
export async function useUpSome(db: Db, limit: number): Promise<number> {
  const used = await db.rows(
    `update info_packages
     set uses_remaining = 0, ciphertext = null, charged_bytes = least(charged_bytes, :rowBytes::bigint)
     where segment in (select segment from info_packages where uses_remaining > 0 limit :limit::integer)
     returning 1`,
    { limit, rowBytes: packageRowBytes },
  );
  return used.length;
}

// The balance is the sum of the bytes that all packages without an uploader take. It is one row. A transaction that adds,
// uses up or removes such a package locks it last and holds the lock until it ends, so the sum is exact over all nodes.

/** Adds bytes to the balance; false if they would exceed the limit. */
export async function charge(db: Db, { bytes, limit }: { bytes: number; limit: number }): Promise<boolean> {
  const charged = await db.rows(
    `update info_package_balance set anonymous_bytes = anonymous_bytes + :bytes::bigint
     where anonymous_bytes + :bytes::bigint <= :limit::bigint
     returning 1`,
    { bytes, limit },
  );
  return charged.length > 0;
}

/**
 * SQL that follows a common table expression named `removed`, which returns the freed bytes of each row as `freed`. It
 * subtracts them from the balance and selects the columns of those rows.
 */
function subtractFreed(columns: string): string {
  return `, balanced as (
       update info_package_balance set anonymous_bytes = anonymous_bytes - sums.freed
       from (select sum(freed) as freed from removed) as sums
       where sums.freed > 0
     )
     select ${columns} from removed`;
}

/** Locks the balance until the transaction ends. */
export async function lockBalance(db: Db): Promise<void> {
  await db.run("select 1 from info_package_balance for update");
}

/** Computes the balance from the packages. The caller has locked it in an earlier statement. */
export async function recountBalance(db: Db): Promise<void> {
  await db.run(
    `update info_package_balance
     set anonymous_bytes = (select coalesce(sum(charged_bytes), 0) from info_packages where charged_bytes > 0)`,
  );
}
