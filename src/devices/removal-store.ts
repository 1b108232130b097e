import { type Db, rows } from "../platform/database/connection.js";

/** A device that was removed, with what must be remembered of it. */
export interface RemovedDevice {
  deviceId: string;
  blockedAt: number | null;
  bannedUntil: number | null;
}

/** Ids of devices that were last active before a moment, the longest silent first. */
export async function findInactive(db: Db, range: { before: number; limit: number }): Promise<string[]> {
  const found = await rows<{ device_id: string }>(
    db,
    `select device_id from devices where last_active < :before::bigint
     order by last_active limit :limit::int`,
    range,
  );
  return found.map((row) => row.device_id);
}

/** Removes those of the devices that are still inactive. They are locked in the order of their ids, as elsewhere. */
export async function deleteInactive(
  db: Db,
  range: { ids: readonly string[]; before: number },
): Promise<RemovedDevice[]> {
  return rows<RemovedDevice>(
    db,
    `delete from devices as d
     using (
       select device_id from devices where device_id = any(:ids::text[]) and last_active < :before::bigint
       order by device_id for update
     ) as gone
     where d.device_id = gone.device_id
     returning d.device_id as "deviceId", d.blocked_at as "blockedAt", d.banned_until as "bannedUntil"`,
    range,
  );
}
