import type { Db, Reader } from "../database/db.js";
import { type FilteredList, listOf, readList, sqlPart } from "../database/filtered-list.js";
import type { DeviceId } from "../protocol/identifiers.js";
import type { CustomLimitChange, Device, StoragePreferences } from "./device.js";

const deviceColumns = `
  device_id as "deviceId", public_key as "publicKey", registered_at as "registeredAt", last_active as "lastActive",
  admin_verified as "verified", verified_at as "verifiedAt", verified_by as "verifiedBy",
  blocked_at as "blockedAt", banned_until as "bannedUntil",
  custom_limit as "customLimit", custom_limit_set_at as "customLimitSetAt", custom_limit_set_by as "customLimitSetBy",
  custom_limit_expires_at as "customLimitExpiresAt",
  spam_reports as "spamReports", spam_reports_by_device as "spamReportsByDevice",
  max_retention_days as "maxRetentionDays", offline_message_limit as "offlineMessageLimit",
  hide_presence as "hidePresence"`;

/** Finds the devices with these ids, in no particular order. */
export async function findDevices(db: Reader, ids: readonly string[]): Promise<Device[]> {
  return db.rows<Device>(`select ${deviceColumns} from devices where device_id = any(:ids::text[])`, { ids });
}

/** Selects the devices of a list. */
export interface DeviceFilter {
  /** `blocked` includes a ban that has not ended. */
  state: "any" | "blocked" | "verified" | "unverified";
  /** Lower-case hex digits that the ids begin with; empty for all devices. */
  idPrefix: string;
  sort: "last_active" | "-last_active" | "registered_at" | "-registered_at";
  now: number;
  limit: number;
  offset: number;
}

/** Lists devices in the order of the filter. */
export async function listDevices(
  db: Db,
  { idPrefix, sort, limit, offset, ...filter }: DeviceFilter,
): Promise<Device[]> {
  const list = listOf("devices").select(sqlPart(deviceColumns)).limit(limit).offset(offset);
  withState(list, filter);
  // No hex digit sorts after `f`, so these are the bounds of the ids with that beginning.
  if (idPrefix !== "") list.where("device_id", ">=", idPrefix).where("device_id", "<", `${idPrefix}g`);
  const isDescending = sort.startsWith("-");
  list.orderBy(isDescending ? sort.slice(1) : sort, isDescending ? "desc" : "asc").orderBy("device_id");
  return readList<Device>(db, list, { everyShard: true });
}

function withState(list: FilteredList, { state, now }: Pick<DeviceFilter, "state" | "now">): void {
  if (state === "blocked") list.where(sqlPart("(blocked_at is not null or banned_until > ?)", now));
  if (state === "verified") list.where("admin_verified", true);
  if (state === "unverified") list.where("admin_verified", false);
}

/** Whether any device is registered. */
export async function hasDevices(db: Db): Promise<boolean> {
  return (await db.one("-- every shard\n select 1 from devices limit 1")) !== undefined;
}

/**
 * Finds devices and locks them, in the order of their ids, until the transaction ends. Each statement locks one row,
 * because rows of several devices may be on several machines.
 */
export async function lockDevices(db: Db, ids: readonly string[]): Promise<Device[]> {
  const devices: Device[] = [];
  for (const id of [...new Set(ids)].sort()) {
    const sql = `select ${deviceColumns} from devices where device_id = :id::text for update`;
    devices.push(...(await db.rows<Device>(sql, { id })));
  }
  return devices;
}

/** Adds a device; false if it exists already. Waits for another transaction that is adding it. */
export async function insertDevice(
  db: Db,
  device: { deviceId: DeviceId; publicKey: Uint8Array; now: number },
): Promise<boolean> {
  const inserted = await db.rows(
    `insert into devices (device_id, public_key, registered_at, last_active)
     values (:deviceId, :publicKey, :now::bigint, :now::bigint)
     on conflict (device_id) do nothing
     returning device_id`,
    { ...device, publicKey: Buffer.from(device.publicKey) },
  );
  return inserted.length > 0;
}

/** Counts the devices that registered after `since`, up to `max`. */
export async function countRegisteredAfter(db: Db, range: { since: number; max: number }): Promise<number> {
  const row = await db.one<{ count: number }>(
    `-- every shard
     select count(*) as count
     from (select 1 from devices where registered_at > :since::bigint limit :max::int) as recent`,
    range,
  );
  return row?.count ?? 0;
}

/** Replaces the storage preferences of a device. */
export async function updatePreferences(db: Db, deviceId: string, preferences: StoragePreferences): Promise<void> {
  await db.run(
    `update devices
     set max_retention_days = :maxRetentionDays::int, offline_message_limit = :offlineMessageLimit::int,
         hide_presence = :hidePresence::boolean
     where device_id = :deviceId`,
    { deviceId, ...preferences },
  );
}

/** Records when devices were active, where the recorded time is more than `apartSeconds` older. `ids` are sorted. */
export async function updateLastActive(
  db: Db,
  change: { ids: readonly string[]; times: readonly number[]; apartSeconds: number },
): Promise<void> {
  await db.run(
    `update devices as d set last_active = seen.at
     from unnest(:ids::text[], :times::bigint[]) as seen (device_id, at)
     where d.device_id = seen.device_id and d.last_active < seen.at - :apartSeconds::bigint`,
    change,
  );
}

/** Blocks a device or lifts its block (null); false if there is no such device. */
export async function updateBlock(db: Db, deviceId: string, blockedAt: number | null): Promise<boolean> {
  return updated(db, "blocked_at = :blockedAt::bigint", { deviceId, blockedAt });
}

/** Bans a device until a time, or lifts its ban (null); false if there is no such device. */
export async function updateBan(db: Db, deviceId: string, bannedUntil: number | null): Promise<boolean> {
  return updated(db, "banned_until = :bannedUntil::bigint", { deviceId, bannedUntil });
}

/** Records an administrator's verification, or removes it (null); false if there is no such device. */
export async function updateVerification(
  db: Db,
  deviceId: string,
  verification: { at: number; by: string } | null,
): Promise<boolean> {
  return updated(db, "admin_verified = :verified::boolean, verified_at = :at::bigint, verified_by = :by::text", {
    deviceId,
    verified: verification !== null,
    at: verification?.at ?? null,
    by: verification?.by ?? null,
  });
}

/** Counts a spam report on the reported device and on the reporter, those of other servers excepted. */
export async function updateReportCounts(
  db: Db,
  report: { reported: string | null; reporter: string | null },
): Promise<void> {
  await db.run(
    `update devices
     set spam_reports = spam_reports + case when device_id = :reported::text then 1 else 0 end,
         spam_reports_by_device = spam_reports_by_device + case when device_id = :reporter::text then 1 else 0 end
     where device_id in (:reported::text, :reporter::text)`,
    report,
  );
}

/** Sets or removes the custom limit of a device; false if there is no such device. */
export async function updateCustomLimit(db: Db, deviceId: string, change: CustomLimitChange): Promise<boolean> {
  return updated(
    db,
    `custom_limit = :limit::int, custom_limit_set_at = :setAt::bigint, custom_limit_set_by = :setBy::text,
     custom_limit_expires_at = :expiresAt::bigint`,
    { deviceId, ...change },
  );
}

async function updated(db: Db, assignments: string, bindings: Record<string, unknown>): Promise<boolean> {
  const found = await db.rows(
    `update devices set ${assignments} where device_id = :deviceId returning device_id`,
    bindings,
  );
  return found.length > 0;
}

/** Locks a device's row until the transaction ends and stores that it is active; false if there is no such device. */
export async function lockForAnnouncement(db: Db, device: { deviceId: string; now: number }): Promise<boolean> {
  const locked = await db.rows(
    `update devices set last_active = greatest(last_active, :now::bigint)
     where device_id = :deviceId
     returning 1`,
    device,
  );
  return locked.length > 0;
}

/** A device that was removed, with the block and ban that outlive it. */
export interface RemovedDevice {
  deviceId: string;
  blockedAt: number | null;
  bannedUntil: number | null;
}

/** Ids of devices that were last active before a time, the longest inactive first. */
export async function findInactive(db: Db, range: { before: number; limit: number }): Promise<string[]> {
  const found = await db.rows<{ device_id: string }>(
    `-- every shard
     select device_id from devices where last_active < :before::bigint
     order by last_active limit :limit::int`,
    range,
  );
  return found.map((row) => row.device_id);
}

/** Removes the devices that are still inactive. The caller has locked them. */
export async function deleteInactive(
  db: Db,
  range: { ids: readonly string[]; before: number },
): Promise<RemovedDevice[]> {
  return db.rows<RemovedDevice>(
    `delete from devices
     where device_id = any(:ids::text[]) and last_active < :before::bigint
     returning device_id as "deviceId", blocked_at as "blockedAt", banned_until as "bannedUntil"`,
    range,
  );
}

/** The block or ban that outlives a removed device. */
export interface BlockTombstone {
  hash: Uint8Array;
  blockedAt: number | null;
  bannedUntil: number | null;
}

/** Stores the tombstones of devices that are being removed. */
export async function insertTombstones(db: Db, tombstones: readonly BlockTombstone[], now: number): Promise<void> {
  if (tombstones.length === 0) return;
  await db.run(
    `insert into block_tombstones (device_hash, blocked_at, banned_until, marked_at)
     select hash, blocked_at, banned_until, :now::bigint
     from unnest(:hashes::bytea[], :blocked::bigint[], :banned::bigint[]) as removed (hash, blocked_at, banned_until)
     on conflict (device_hash) do update
     set blocked_at = excluded.blocked_at, banned_until = excluded.banned_until, marked_at = excluded.marked_at`,
    {
      now,
      hashes: tombstones.map((tombstone) => Buffer.from(tombstone.hash)),
      blocked: tombstones.map((tombstone) => tombstone.blockedAt),
      banned: tombstones.map((tombstone) => tombstone.bannedUntil),
    },
  );
}

/** Deletes a tombstone and returns it; `undefined` if there is none. */
export async function takeTombstone(db: Db, hash: Uint8Array): Promise<Omit<BlockTombstone, "hash"> | undefined> {
  const tombstone = await db.one<Omit<BlockTombstone, "hash">>(
    `delete from block_tombstones where device_hash = :hash
     returning blocked_at as "blockedAt", banned_until as "bannedUntil"`,
    { hash: Buffer.from(hash) },
  );
  return tombstone;
}

/** Removes up to `limit` tombstones whose bans have ended; returns how many. */
export async function deleteEndedTombstones(db: Db, range: { now: number; limit: number }): Promise<number> {
  const deleted = await db.rows(
    `delete from block_tombstones
     where device_hash = any(array(
       select device_hash from block_tombstones where blocked_at is null and banned_until <= :now::bigint
       order by banned_until limit :limit::int
     ))
     returning 1`,
    range,
  );
  return deleted.length;
}
