import { type Db, rows } from "../platform/database/connection.js";
import type { Permission } from "./permissions.js";

/** An administrator, as the list has it. `addedAt` in Unix seconds. */
export interface Admin {
  /** Canonical. */
  deviceId: string;
  publicKey: Uint8Array;
  permissions: readonly Permission[];
  addedAt: number;
}

const adminColumns = `device_id as "deviceId", public_key as "publicKey", permissions, added_at as "addedAt"`;

/** The whole list, the longest standing first. */
export async function readAdmins(db: Db): Promise<Admin[]> {
  return rows<Admin>(db, `select ${adminColumns} from admins order by added_at, device_id`);
}

/** Puts an administrator on the list, or gives one who is there other permissions; true if the list grew. */
export async function upsertAdmin(db: Db, admin: Admin): Promise<boolean> {
  const [row] = await rows<{ added: boolean }>(
    db,
    `insert into admins (device_id, public_key, permissions, added_at)
     values (:deviceId, :publicKey, :permissions::text[], :addedAt::bigint)
     on conflict (device_id) do update set permissions = excluded.permissions
     returning xmax = 0 as added`,
    { ...admin, publicKey: Buffer.from(admin.publicKey), permissions: [...admin.permissions] },
  );
  return row?.added === true;
}

/** Takes an administrator off the list; false if there is none of that id. */
export async function deleteAdmin(db: Db, deviceId: string): Promise<boolean> {
  const deleted = await rows(db, "delete from admins where device_id = :deviceId returning device_id", { deviceId });
  return deleted.length > 0;
}

/** Remembers that a seed has been taken over; false if it had been before. */
export async function insertSeed(db: Db, deviceId: string): Promise<boolean> {
  const inserted = await rows(
    db,
    `insert into admin_seeds (device_id) values (:deviceId)
     on conflict (device_id) do nothing
     returning device_id`,
    { deviceId },
  );
  return inserted.length > 0;
}
