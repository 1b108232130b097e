import { type Db, rows } from "../platform/database/connection.js";

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
