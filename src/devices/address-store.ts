import type { Db } from "../database/db.js";
import type { Prefix } from "../protocol/identifiers.js";
import type { ActiveAddress, AnnouncedPrefix } from "./device.js";

/** How many addresses a device has, in relation to the prefixes that it announces. */
export interface AddressCounts {
  /** Announced prefixes that the device holds, active or expired. */
  held: number;
  /** Announced prefixes that the device holds and that have not expired. */
  active: number;
  /** Active addresses that the announcement does not name. */
  otherActive: number;
}

/** Counts the addresses of a device that are among `prefixes` and those that are not. The caller has locked the device's row. */
export async function countAddresses(
  db: Db,
  device: { deviceId: string; prefixes: readonly Prefix[]; now: number },
): Promise<AddressCounts> {
  const found = await db.rows<{ announced: boolean; active: boolean }>(
    `-- every shard
     select prefix = any(:prefixes::uuid[]) as announced, expires_at > :now::bigint as active
     from addresses
     where device_id = :deviceId and (expires_at > :now::bigint or prefix = any(:prefixes::uuid[]))`,
    device,
  );
  const held = found.filter((row) => row.announced);
  const active = held.filter((row) => row.active);
  return { held: held.length, active: active.length, otherActive: found.length - held.length };
}

/**
 * Takes or renews prefixes for a device and returns how many it has now. Prefixes of other devices are not touched. The
 * rows are written in the order of the prefixes, so two devices that request the same prefixes cannot deadlock.
 */
export async function upsertAddresses(
  db: Db,
  announcement: {
    deviceId: string;
    prefixes: readonly AnnouncedPrefix[];
    serverUrl: string;
    now: number;
    expiresAt: number;
  },
): Promise<number> {
  const sorted = [...announcement.prefixes].sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
  const taken = await db.rows(
    `insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at)
     select prefix, :deviceId, spelling, :serverUrl, :now::bigint, :now::bigint, :expiresAt::bigint
     from unnest(:prefixes::uuid[], :spellings::text[]) as wanted (prefix, spelling)
     on conflict (prefix) do update
     set spelling = excluded.spelling, server_url = excluded.server_url,
         announced_at = excluded.announced_at, expires_at = excluded.expires_at
     where addresses.device_id = excluded.device_id
     returning prefix`,
    {
      ...announcement,
      prefixes: sorted.map((wanted) => wanted.prefix),
      spellings: sorted.map((wanted) => wanted.spelling),
    },
  );
  return taken.length;
}

/** True if a device has at least one address that has not expired. */
export async function existsActiveAddress(db: Db, deviceId: string, now: number): Promise<boolean> {
  const found = await db.rows(
    `-- every shard
     select 1 from addresses where device_id = :deviceId and expires_at > :now::bigint limit 1`,
    { deviceId, now },
  );
  return found.length > 0;
}

/** The addresses of a device that have not expired, the oldest first. */
export async function findActiveAddresses(db: Db, deviceId: string, now: number): Promise<ActiveAddress[]> {
  return db.rows<ActiveAddress>(
    `-- every shard
     select prefix, spelling, created_at as "createdAt", announced_at as "announcedAt", expires_at as "expiresAt"
     from addresses
     where device_id = :deviceId and expires_at > :now::bigint
     order by created_at, prefix`,
    { deviceId, now },
  );
}

/** Ends an active address of a device; `undefined` if the device has no such address, for whatever reason. */
export async function endAddress(
  db: Db,
  address: { deviceId: string; prefix: Prefix; now: number },
): Promise<AnnouncedPrefix | undefined> {
  const ended = await db.one<AnnouncedPrefix>(
    `update addresses set expires_at = :now::bigint
     where prefix = :prefix::uuid and device_id = :deviceId and expires_at > :now::bigint
     returning prefix, spelling`,
    address,
  );
  return ended;
}

/** Every prefix that a device holds, expired ones included. */
export async function findPrefixes(db: Db, deviceId: string): Promise<Prefix[]> {
  const sql = `
    -- every shard
    select prefix from addresses where device_id = :deviceId`;
  const found = await db.rows<{ prefix: Prefix }>(sql, { deviceId });
  return found.map(({ prefix }) => prefix);
}

/** Removes every address of these devices, expired ones included. */
export async function deleteAddresses(db: Db, ids: readonly string[]): Promise<void> {
  const sql = `
    -- every shard
    delete from addresses where device_id = any(:ids::text[])`;
  await db.run(sql, { ids });
}

/** The device at which a prefix is active. */
export async function findActiveHolder(db: Db, prefix: Prefix, now: number): Promise<string | undefined> {
  const found = await db.one<{ device_id: string }>(
    "select device_id from addresses where prefix = :prefix::uuid and expires_at > :now::bigint",
    { prefix, now },
  );
  return found?.device_id;
}

/** The device that holds a prefix. An expired address counts until its device is removed, so that no other device can take it over. */
export async function findHolder(db: Db, prefix: Prefix): Promise<string | undefined> {
  const found = await db.one<{ device_id: string }>("select device_id from addresses where prefix = :prefix::uuid", {
    prefix,
  });
  return found?.device_id;
}
