import type { Db } from "../database/db.js";
import type { Prefix } from "../protocol/identifiers.js";

/** Packages of a device: those for one of its addresses or, with null, those for all of them. */
export type Pool = { deviceId: string; prefix: Prefix | null };

/** The state of a device, apart from its packages. */
export interface Account {
  lastPosition: number;
  totalConsumed: number;
  lastResort: Buffer | null;
  /** Unix seconds; null if there is no last-resort package. */
  lastResortExpiresAt: number | null;
}

/** The key packages that a device has stored. Times are Unix seconds. */
export interface KeyPackageStatus {
  available: number;
  nextExpiry: number | null;
  totalConsumed: number;
  hasLastResort: boolean;
}

const accountColumns = `
  last_position as "lastPosition", total_consumed as "totalConsumed",
  last_resort as "lastResort", last_resort_expires_at as "lastResortExpiresAt"`;

/** SQL: the packages of a pool that can be given out once. */
const isAvailable = `
  device_id = :deviceId and prefix is not distinct from :prefix::uuid and key_package is not null and not last_resort
  and expires_at > :now::bigint`;

/** Locks a device's account until the transaction ends, and creates it if there is none. */
export async function openAccount(db: Db, deviceId: string): Promise<Account> {
  const account = await db.one<Account>(
    `insert into key_package_accounts (device_id) values (:deviceId)
     on conflict (device_id) do update set device_id = excluded.device_id
     returning ${accountColumns}`,
    { deviceId },
  );
  return account as Account;
}

/** Locks a device's account until the transaction ends; `undefined` if there is none. */
export async function lockAccount(db: Db, deviceId: string): Promise<Account | undefined> {
  const account = await db.one<Account>(
    `select ${accountColumns} from key_package_accounts where device_id = :deviceId for update`,
    { deviceId },
  );
  return account;
}

/** Writes the columns of an account that an upload changes. */
export async function updateAccount(
  db: Db,
  deviceId: string,
  account: Pick<Account, "lastPosition" | "lastResort" | "lastResortExpiresAt">,
): Promise<void> {
  await db.run(
    `update key_package_accounts
     set last_position = :lastPosition::bigint, last_resort = :lastResort::bytea,
         last_resort_expires_at = :lastResortExpiresAt::bigint
     where device_id = :deviceId`,
    { ...account, deviceId },
  );
}

/**
 * Deletes the expired packages of a device. With `all` also those of the pool that can still be fetched; if that is the pool
 * for all addresses, those of every pool.
 */
export async function deleteStored(db: Db, of: Pool & { now: number; all: boolean }): Promise<void> {
  await db.run(
    `delete from key_packages
     where device_id = :deviceId and (expires_at <= :now::bigint
       or (:all::boolean and key_package is not null and (:prefix::uuid is null or prefix = :prefix::uuid)))`,
    of,
  );
}

/** Deletes one package of those that are fetched once. */
export async function deleteOne(db: Db, of: { deviceId: string; keyPackage: Buffer }): Promise<void> {
  await db.run("delete from key_packages where device_id = :deviceId and digest = sha256(:keyPackage::bytea)", of);
}

/** Stores new packages in their order, after a position, and skips known ones; returns how many were stored. */
export async function insertPackages(
  db: Db,
  upload: Pool & { packages: readonly Buffer[]; after: number; expiresAt: number },
): Promise<number> {
  const inserted = await db.rows(
    `insert into key_packages (device_id, digest, position, key_package, expires_at, prefix)
     select :deviceId, sha256(p.key_package), :after::bigint + p.number, p.key_package, :expiresAt::bigint, :prefix::uuid
     from unnest(:packages::bytea[]) with ordinality as p (key_package, number)
     on conflict (device_id, digest) do nothing
     returning position`,
    upload,
  );
  return inserted.length;
}

/** Stores the last-resort package of an address in place of an earlier one. */
export async function replaceLastResort(
  db: Db,
  of: { deviceId: string; prefix: Prefix; keyPackage: Buffer; position: number; expiresAt: number },
): Promise<void> {
  const { deviceId, prefix } = of;
  await db.run(
    `delete from key_packages
     where device_id = :deviceId and prefix = :prefix::uuid and last_resort and key_package is not null`,
    { deviceId, prefix },
  );
  await db.run(
    `insert into key_packages (device_id, digest, position, key_package, expires_at, prefix, last_resort)
     values (:deviceId, sha256(:keyPackage::bytea), :position::bigint, :keyPackage::bytea, :expiresAt::bigint,
             :prefix::uuid, true)
     on conflict (device_id, digest) do update
     set key_package = excluded.key_package, expires_at = excluded.expires_at, position = excluded.position,
         prefix = excluded.prefix, last_resort = true`,
    of,
  );
}

/** The last-resort package of an address, if it has one of its own. */
export async function findLastResort(
  db: Db,
  of: { deviceId: string; prefix: Prefix; now: number },
): Promise<Buffer | undefined> {
  const found = await db.one<{ keyPackage: Buffer }>(
    `select key_package as "keyPackage" from key_packages
     where device_id = :deviceId and prefix = :prefix::uuid and last_resort and key_package is not null
       and expires_at > :now::bigint`,
    of,
  );
  return found?.keyPackage;
}

/**
 * Takes the oldest package of a pool and counts it, under the account's lock; `undefined` if there is none. The bytes are deleted
 * and the digest stays.
 */
export async function takeOldest(
  db: Db,
  of: Pool & { now: number },
): Promise<{ keyPackage: Buffer; remaining: number } | undefined> {
  const taken = await db.one<{ keyPackage: Buffer; remaining: number }>(
    `with available as materialized (
       select count(*)::int as number from key_packages
       where ${isAvailable}
     ), oldest as materialized (
       select digest, key_package from key_packages
       where ${isAvailable}
       order by position limit 1
       for update skip locked
     ), taken as (
       update key_packages as k set key_package = null
       from oldest where k.device_id = :deviceId and k.digest = oldest.digest
       returning k.digest
     ), counted as (
       update key_package_accounts set total_consumed = total_consumed + 1
       where device_id = :deviceId and exists (select from taken)
     )
     select oldest.key_package as "keyPackage", available.number - 1 as remaining
     from oldest cross join available`,
    of,
  );
  return taken;
}

/** Counts the packages of a pool that can be fetched, without the last-resort package. */
export async function countAvailable(db: Db, of: Pool & { now: number }): Promise<number> {
  const row = await db.one<{ available: number }>(
    `select count(*)::int as available from key_packages where ${isAvailable}`,
    of,
  );
  return row?.available ?? 0;
}

/** Counts the packages of all pools of a device, the last-resort packages of its addresses included. */
export async function countStored(db: Db, of: { deviceId: string; now: number }): Promise<number> {
  const row = await db.one<{ stored: number }>(
    `select count(*)::int as stored from key_packages
     where device_id = :deviceId and key_package is not null and expires_at > :now::bigint`,
    of,
  );
  return row?.stored ?? 0;
}

/** The status of a pool that its device sees. */
export async function readStatus(db: Db, of: Pool & { now: number }): Promise<KeyPackageStatus> {
  const status = await db.one<KeyPackageStatus>(
    `select p.available, p.next_expiry as "nextExpiry", coalesce(a.total_consumed, 0) as "totalConsumed",
            case when :prefix::uuid is null
              then coalesce(a.last_resort is not null and a.last_resort_expires_at > :now::bigint, false)
              else p.has_last_resort
            end as "hasLastResort"
     from (
       select count(*) filter (where not last_resort)::int as available,
              min(expires_at) filter (where not last_resort) as next_expiry, count(*) filter (where last_resort) > 0 as has_last_resort
       from key_packages
       where device_id = :deviceId and prefix is not distinct from :prefix::uuid
         and key_package is not null and expires_at > :now::bigint
     ) as p
     left join key_package_accounts as a on a.device_id = :deviceId`,
    of,
  );
  return status as KeyPackageStatus;
}

// The statements of expiry skip rows that are locked. A later run deletes them, so no statement waits for a lock. Rows are
// locked device by device, since those of several devices may lie on several machines.

/** The devices of the `limit` packages that expired first. */
export async function findExpiredPackages(db: Db, range: { now: number; limit: number }): Promise<string[]> {
  const found = await db.rows<{ device_id: string }>(
    `-- every shard
     select distinct device_id from (
       select device_id from key_packages where expires_at <= :now::bigint order by expires_at limit :limit::int
     ) as expired`,
    range,
  );
  return found.map((row) => row.device_id);
}

/** At most `limit` devices whose last-resort package expired. */
export async function findExpiredLastResorts(db: Db, range: { now: number; limit: number }): Promise<string[]> {
  const found = await db.rows<{ device_id: string }>(
    `-- every shard
     select device_id from key_package_accounts
     where last_resort is not null and last_resort_expires_at <= :now::bigint
     order by last_resort_expires_at limit :limit::int`,
    range,
  );
  return found.map((row) => row.device_id);
}

/** A row that expired. `unused` means that the package was never fetched. */
export interface ExpiredPackage {
  deviceId: string;
  unused: boolean;
}

/** Deletes up to `limit` expired packages of a device, including the digests of packages that were fetched. */
export async function deleteExpired(
  db: Db,
  range: { deviceId: string; now: number; limit: number },
): Promise<ExpiredPackage[]> {
  return db.rows<ExpiredPackage>(
    `delete from key_packages
     where device_id = :deviceId::text and digest = any(array(
       select digest from key_packages
       where device_id = :deviceId::text and expires_at <= :now::bigint order by expires_at limit :limit::int
       for update skip locked))
     returning device_id as "deviceId", key_package is not null as unused`,
    range,
  );
}

/** Deletes a device's last-resort package if it has expired; false if not, or if its account is locked. */
export async function clearExpiredLastResort(db: Db, range: { deviceId: string; now: number }): Promise<boolean> {
  const cleared = await db.rows(
    `update key_package_accounts set last_resort = null, last_resort_expires_at = null
     where device_id = (
       select device_id from key_package_accounts
       where device_id = :deviceId::text and last_resort is not null and last_resort_expires_at <= :now::bigint
       for update skip locked)
       and device_id = :deviceId::text
     returning device_id`,
    range,
  );
  return cleared.length > 0;
}

/** Deletes every row of devices. The accounts come first, because their locks wait for uploads that are running. */
export async function deleteOfDevices(db: Db, ids: readonly string[]): Promise<void> {
  await db.run("delete from key_package_accounts where device_id = any(:ids::text[])", { ids });
  await db.run("delete from key_packages where device_id = any(:ids::text[])", { ids });
}

/** Voids up to `limit` stored packages, so that they cannot be fetched; returns how many. */
export async function voidSome(db: Db, limit: number): Promise<number> {
  const voided = await db.rows(
    `-- every shard
     update key_packages set key_package = null
     where (device_id, digest) in (
       select device_id, digest from key_packages
       where key_package is not null and not last_resort order by device_id, position limit :limit::int)
     returning position`,
    { limit },
  );
  return voided.length;
}
