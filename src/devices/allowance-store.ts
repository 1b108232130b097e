import { type Db, rows } from "../platform/database/connection.js";

/** The two counters of a device's announcements: a fixed window each, from the first thing counted in it. */
export interface Allowances {
  announcementsSince: number;
  announcements: number;
  newAddressesSince: number;
  newAddresses: number;
}

/** Locks a device's row until the transaction ends and reads its counters; `undefined` if there is no such device. */
export async function lockAllowances(db: Db, deviceId: string): Promise<Allowances | undefined> {
  const [row] = await rows<Allowances>(
    db,
    `select announcements_since as "announcementsSince", announcements,
            new_addresses_since as "newAddressesSince", new_addresses as "newAddresses"
     from devices where device_id = :deviceId
     for update`,
    { deviceId },
  );
  return row;
}

/** Stores the counters and that the device was active. The caller has locked the row. */
export async function updateAllowances(
  db: Db,
  deviceId: string,
  allowances: Allowances & { now: number },
): Promise<void> {
  await rows(
    db,
    `update devices
     set announcements_since = :announcementsSince::bigint, announcements = :announcements::int,
         new_addresses_since = :newAddressesSince::bigint, new_addresses = :newAddresses::int,
         last_active = greatest(last_active, :now::bigint)
     where device_id = :deviceId`,
    { deviceId, ...allowances },
  );
}
