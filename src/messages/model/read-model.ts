import type { Executor } from "../../database/db.js";

// What this module reads about devices and addresses, which belong to another module.

/** The columns of a device that matter for its messages: its trust as a sender, its settings as a recipient. */
export interface DeviceProfile {
  device_id: string;
  registered_at: number;
  admin_verified: boolean;
  blocked_at: number | null;
  banned_until: number | null;
  custom_limit: number | null;
  custom_limit_expires_at: number | null;
  max_retention_days: number | null;
  offline_message_limit: number | null;
  hide_presence: boolean;
}

/** The device behind each prefix that has an active mapping. */
export async function findRecipients(
  db: Executor,
  { prefixes, now }: { prefixes: readonly string[]; now: number },
): Promise<Map<string, string>> {
  const found = await db.rows<{ prefix: string; device_id: string }>(
    `select prefix, device_id
     from addresses
     where prefix = any(:prefixes::uuid[]) and expires_at > :now::bigint`,
    { prefixes, now },
  );
  return new Map(found.map((row) => [row.prefix, row.device_id]));
}

/** Profiles of devices, by id. */
export async function findDeviceProfiles(
  db: Executor,
  deviceIds: readonly string[],
): Promise<Map<string, DeviceProfile>> {
  const found = await db.rows<DeviceProfile>(
    `select device_id, registered_at, admin_verified, blocked_at, banned_until, custom_limit, custom_limit_expires_at,
            max_retention_days, offline_message_limit, hide_presence
     from devices
     where device_id = any(:deviceIds::text[])`,
    { deviceIds },
  );
  return new Map(found.map((row) => [row.device_id, row]));
}

/** SQL: the ids in the binding `deviceIds` whose devices are still registered. */
export const registeredIds = "select device_id from devices where device_id = any(:deviceIds::text[])";

/** SQL: keeps the rows of `alias` whose device, `d`, is still registered. */
export function joinRegistered(alias: string): string {
  return `join devices as d on d.device_id = ${alias}.device_id`;
}
