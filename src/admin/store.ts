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

export async function isChallengeUsed(db: Db, challenge: Uint8Array): Promise<boolean> {
  const found = await rows(db, "select 1 from admin_used_challenges where challenge = :challenge", {
    challenge: Buffer.from(challenge),
  });
  return found.length > 0;
}

/** Uses a challenge up; false if it was used before. Whoever comes second waits for the first one's transaction. */
export async function insertUsedChallenge(
  db: Db,
  used: { challenge: Uint8Array; expiresAt: number },
): Promise<boolean> {
  const inserted = await rows(
    db,
    `insert into admin_used_challenges (challenge, expires_at)
     values (:challenge, :expiresAt::bigint)
     on conflict (challenge) do nothing
     returning challenge`,
    { ...used, challenge: Buffer.from(used.challenge) },
  );
  return inserted.length > 0;
}

/** Forgets challenges that expired before a moment: their expiry refuses them from now on. */
export async function deleteExpiredChallenges(db: Db, before: number): Promise<void> {
  await rows(db, "delete from admin_used_challenges where expires_at <= :before::bigint", { before });
}

type Window = { deviceId: string; kind: string };

/**
 * Counts one more in the window that is open, or opens one, if the limit allows it; undefined if not. The answer is when
 * the window began. One atomic statement.
 */
export async function countOne(
  db: Db,
  step: Window & { now: number; windowSeconds: number; limit: number },
): Promise<number | undefined> {
  const [row] = await rows<{ startedAt: number }>(
    db,
    `insert into admin_allowances as open (device_id, kind, window_started_at, count)
     values (:deviceId, :kind, :now::bigint, 1)
     on conflict (device_id, kind) do update
     set window_started_at = case when open.window_started_at + :windowSeconds::bigint <= :now::bigint
                                  then :now::bigint else open.window_started_at end,
         count = case when open.window_started_at + :windowSeconds::bigint <= :now::bigint
                      then 1 else open.count + 1 end
     where open.window_started_at + :windowSeconds::bigint <= :now::bigint or open.count < :limit::int
     returning window_started_at as "startedAt"`,
    step,
  );
  return row?.startedAt;
}

/** When the administrator's last window of a kind began. */
export async function readWindowStart(db: Db, window: Window): Promise<number | undefined> {
  const [row] = await rows<{ startedAt: number }>(
    db,
    `select window_started_at as "startedAt" from admin_allowances
     where device_id = :deviceId and kind = :kind`,
    window,
  );
  return row?.startedAt;
}

/** Forgets windows that began before a moment. */
export async function deleteWindowsBefore(db: Db, before: number): Promise<void> {
  await rows(db, "delete from admin_allowances where window_started_at <= :before::bigint", { before });
}
