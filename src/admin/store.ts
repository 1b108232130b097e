import type { Db } from "../database/db.js";
import type { Permission } from "./permissions.js";

/** An administrator on the list. `addedAt` is in Unix seconds. */
export interface Admin {
  /** The canonical device id. */
  deviceId: string;
  publicKey: Uint8Array;
  permissions: readonly Permission[];
  addedAt: number;
}

const adminColumns = `device_id as "deviceId", public_key as "publicKey", permissions, added_at as "addedAt"`;

/** Reads the whole list, the earliest added first. */
export async function readAdmins(db: Db): Promise<Admin[]> {
  return db.rows<Admin>(`select ${adminColumns} from admins order by added_at, device_id`);
}

/** Differs for each content of the list. Adding and removing an administrator can bring back an earlier version. */
export const adminListVersion = `
  select md5(string_agg(concat(device_id, ' ', added_at, ' ', permissions), ',' order by device_id)) from admins`;

/** The list with its version, null if the list is empty. */
export async function readAdminList(db: Db): Promise<{ admins: Admin[]; version: string | null }> {
  const found = await db.rows<Admin & { version: string }>(
    `select ${adminColumns}, (${adminListVersion}) as version from admins`,
  );
  return { admins: found, version: found[0]?.version ?? null };
}

/** Adds an administrator, or replaces the permissions of one who is on the list; true if one was added. */
export async function upsertAdmin(db: Db, admin: Admin): Promise<boolean> {
  const row = await db.one<{ added: boolean }>(
    `insert into admins (device_id, public_key, permissions, added_at)
     values (:deviceId, :publicKey, :permissions::text[], :addedAt::bigint)
     on conflict (device_id) do update set permissions = excluded.permissions
     returning xmax = 0 as added`,
    { ...admin, publicKey: Buffer.from(admin.publicKey), permissions: [...admin.permissions] },
  );
  return row?.added === true;
}

/** Removes an administrator; false if there is none with this id. */
export async function deleteAdmin(db: Db, deviceId: string): Promise<boolean> {
  const deleted = await db.rows("delete from admins where device_id = :deviceId returning device_id", { deviceId });
  return deleted.length > 0;
}

/** Records that a seed has been added to the list; false if it was recorded before. */
export async function insertSeed(db: Db, deviceId: string): Promise<boolean> {
  const inserted = await db.rows(
    `insert into admin_seeds (device_id) values (:deviceId)
     on conflict (device_id) do nothing
     returning device_id`,
    { deviceId },
  );
  return inserted.length > 0;
}

/** True if a challenge was used before. */
export async function isChallengeUsed(db: Db, challenge: Uint8Array): Promise<boolean> {
  const found = await db.rows("select 1 from admin_used_challenges where challenge = :challenge", {
    challenge: Buffer.from(challenge),
  });
  return found.length > 0;
}

/** Uses up a challenge; false if it was used before. A second request waits for the transaction of the first. */
export async function insertUsedChallenge(
  db: Db,
  used: { challenge: Uint8Array; expiresAt: number },
): Promise<boolean> {
  const inserted = await db.rows(
    `insert into admin_used_challenges (challenge, expires_at)
     values (:challenge, :expiresAt::bigint)
     on conflict (challenge) do nothing
     returning challenge`,
    { ...used, challenge: Buffer.from(used.challenge) },
  );
  return inserted.length > 0;
}

/** Deletes used challenges that expired before a time. They are refused because they have expired. */
export async function deleteExpiredChallenges(db: Db, before: number): Promise<void> {
  await db.run("delete from admin_used_challenges where expires_at <= :before::bigint", { before });
}

/** The id of this administrator, or of the longest-serving one. Throws an Error for the operator if there is none. */
export async function requireAdministrator(db: Db, wanted: string | undefined): Promise<string> {
  const admins = (await readAdmins(db)).map(({ deviceId }) => deviceId);
  const found = wanted === undefined ? admins[0] : admins.find((deviceId) => deviceId === wanted);
  if (found !== undefined) return found;
  throw new Error(
    wanted === undefined
      ? "there is no administrator: run `mls-relay admin keygen`, then `mls-relay admin add`"
      : "no such administrator",
  );
}
