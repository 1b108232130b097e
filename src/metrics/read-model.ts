import type { Reader } from "../database/db.js";
import type { LevelName } from "./names.js";

// Counts made by scanning the tables of other modules. Each statement reads one table; none locks anything.

/** Times that classify devices, in Unix seconds. */
export interface DeviceMoments {
  now: number;
  /** A device that was active or registered after this counts for the last 24 hours. */
  dayAgo: number;
  /** Devices registered after these are New, or at least not yet Trusted; null if trust does not depend on age. */
  newAfter: number | null;
  establishedAfter: number | null;
}

type DeviceLevels = Pick<
  Record<LevelName, number>,
  | "devices"
  | "active_devices"
  | "new_devices"
  | "tier_new"
  | "tier_established"
  | "tier_trusted"
  | "tier_verified"
  | "blocked_devices"
>;

/** All devices by their state at a given time. A device is blocked, else verified, else of the tier of its age. */
export async function countDevices(db: Reader, moments: DeviceMoments): Promise<DeviceLevels> {
  const row = await db.one<DeviceLevels>(
    `-- every shard
     select count(*) as devices,
            count(*) filter (where last_active > :dayAgo::bigint) as active_devices,
            count(*) filter (where registered_at > :dayAgo::bigint) as new_devices,
            count(*) filter (where kind = 'blocked') as blocked_devices,
            count(*) filter (where kind = 'verified') as tier_verified,
            count(*) filter (where kind = 'plain' and age = 'new') as tier_new,
            count(*) filter (where kind = 'plain' and age = 'established') as tier_established,
            count(*) filter (where kind = 'plain' and age = 'trusted') as tier_trusted
     from (
       select last_active, registered_at,
              case when blocked_at is not null or banned_until > :now::bigint then 'blocked'
                   when admin_verified then 'verified'
                   else 'plain' end as kind,
              case when registered_at > :newAfter::bigint then 'new'
                   when registered_at > :establishedAfter::bigint then 'established'
                   else 'trusted' end as age
       from devices
     ) as evaluated`,
    { ...moments },
  );
  return row as DeviceLevels;
}

/** All queues combined. */
export async function countQueues(
  db: Reader,
): Promise<Pick<Record<LevelName, number>, "queued_messages" | "queued_bytes">> {
  const row = await db.one<{ queued_messages: number; queued_bytes: number }>(
    `-- every shard
     select coalesce(sum(queued_messages), 0) as queued_messages, coalesce(sum(queued_bytes), 0) as queued_bytes
     from queues`,
  );
  return row ?? { queued_messages: 0, queued_bytes: 0 };
}

/** Everything that waits for other servers, combined. */
export async function countOutbox(
  db: Reader,
): Promise<Pick<Record<LevelName, number>, "outbox_messages" | "outbox_bytes">> {
  const row = await db.one<{ outbox_messages: number; outbox_bytes: number }>(
    `select coalesce(sum(messages), 0) as outbox_messages, coalesce(sum(bytes), 0) as outbox_bytes
     from outbox_destinations`,
  );
  return row ?? { outbox_messages: 0, outbox_bytes: 0 };
}

/** The content of all commit slots combined, which SLOT_STORAGE_BYTES limits. */
export async function readSlotBytes(db: Reader): Promise<number> {
  const row = await db.one<{ bytes: number }>("select content_bytes as bytes from slot_balance");
  return row?.bytes ?? 0;
}

/** Known servers that are active and not blocked, and the blocks in force. A block covers subdomains. */
export async function countPeers(
  db: Reader,
  now: number,
): Promise<Pick<Record<LevelName, number>, "federation_peers" | "blocked_servers">> {
  const row = await db.one<{ federation_peers: number; blocked_servers: number }>(
    `with blocks as materialized (
       select domain from federation_blocks where expires_at is null or expires_at > :now::bigint
     )
     select (select count(*) from blocks) as blocked_servers,
            (select count(*)
             from federation_peers as p
             where p.status = 'active'
               and not exists (
                 select from blocks as b
                 where p.host = b.domain or right(p.host, length(b.domain) + 1) = '.' || b.domain
               )) as federation_peers`,
    { now },
  );
  return row ?? { federation_peers: 0, blocked_servers: 0 };
}

/** How many blobs there are, and the bytes reserved for them. */
export async function countBlobs(db: Reader): Promise<{ blobs: number; blob_bytes: number }> {
  const row = await db.one<{ blobs: number; blob_bytes: number }>(
    "select count(*) as blobs, (select bytes from blob_balance) as blob_bytes from blobs",
  );
  return row ?? { blobs: 0, blob_bytes: 0 };
}

export async function readDatabaseSize(db: Reader): Promise<number> {
  const row = await db.one<{ bytes: number }>("select pg_database_size(current_database()) as bytes");
  return row?.bytes ?? 0;
}

/** When the oldest message for another server was accepted, in Unix seconds; null if none is waiting. */
export async function readOldestOutbox(db: Reader): Promise<number | null> {
  const row = await db.one<{ accepted_at: number | null }>(
    `select min(oldest.accepted_at) as accepted_at
     from outbox_destinations as d
     cross join lateral (
       select o.accepted_at from outbox as o where o.domain = d.domain order by o.position limit 1
     ) as oldest
     where d.messages > 0`,
  );
  return row?.accepted_at ?? null;
}

/** When the last backup was finished, in Unix seconds; null if there is none. */
export async function readLastBackup(db: Reader): Promise<number | null> {
  const state = await db.one<{ finished_at: number | null }>("select finished_at from backup_state");
  return state?.finished_at ?? null;
}
