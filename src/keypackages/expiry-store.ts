import { type Db, rows } from "../platform/database/connection.js";

// What is being worked on elsewhere is passed over and comes round again, so no statement here waits for a lock.

/** A row that expired; `unused` says that the package was never handed out. */
export interface Expired {
  deviceId: string;
  unused: boolean;
}

/** Removes expired packages, and digests of packages that would have expired, up to a number of rows. */
export async function deleteExpired(db: Db, range: { now: number; limit: number }): Promise<Expired[]> {
  return rows<Expired>(
    db,
    `delete from key_packages
     where (device_id, digest) in (
       select device_id, digest from key_packages
       where expires_at <= :now::bigint order by expires_at limit :limit::int
       for update skip locked)
     returning device_id as "deviceId", key_package is not null as unused`,
    range,
  );
}

/** Removes expired last-resort packages; returns how many. */
export async function clearExpiredLastResorts(db: Db, range: { now: number; limit: number }): Promise<number> {
  const cleared = await rows(
    db,
    `update key_package_accounts set last_resort = null, last_resort_expires_at = null
     where device_id in (
       select device_id from key_package_accounts
       where last_resort is not null and last_resort_expires_at <= :now::bigint
       order by last_resort_expires_at limit :limit::int
       for update skip locked)
     returning device_id`,
    range,
  );
  return cleared.length;
}

/** Removes windows that have ended; returns how many. */
export async function deleteEndedWindows(db: Db, range: { now: number; limit: number }): Promise<number> {
  const deleted = await rows(
    db,
    `delete from key_package_windows
     where key in (
       select key from key_package_windows
       where expires_at <= :now::bigint order by expires_at limit :limit::int
       for update skip locked)
     returning key`,
    range,
  );
  return deleted.length;
}

/** Removes all that is kept of devices. The accounts come first: their locks wait for uploads that are under way. */
export async function deleteOfDevices(db: Db, ids: readonly string[]): Promise<void> {
  await rows(db, "delete from key_package_accounts where device_id = any(:ids::text[])", { ids });
  await rows(db, "delete from key_packages where device_id = any(:ids::text[])", { ids });
}

/** Makes sure that so many of the packages stored are not handed out any more; returns how many that were. */
export async function voidSome(db: Db, limit: number): Promise<number> {
  const voided = await rows(
    db,
    `update key_packages set key_package = null
     where (device_id, digest) in (
       select device_id, digest from key_packages
       where key_package is not null order by device_id, position limit :limit::int)
     returning position`,
    { limit },
  );
  return voided.length;
}
