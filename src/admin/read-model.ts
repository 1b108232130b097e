import type { Db } from "../database/db.js";
import type { Device } from "../devices/service.js";

/** The message counters of a device; zeros if it has none yet. */
export interface DeviceActivity {
  messagesSent: number;
  messagesReceived: number;
  /** The sending window: when it began (Unix seconds, 0 for never) and the messages sent in it. */
  windowStartedAt: number;
  windowCount: number;
}

/** A device that no administrator has decided about. */
export type PendingDevice = Pick<
  Device,
  "deviceId" | "registeredAt" | "verified" | "blockedAt" | "bannedUntil" | "customLimit" | "customLimitExpiresAt"
> &
  Pick<DeviceActivity, "messagesSent" | "messagesReceived"> & { spamReports: number };

interface PendingFilter {
  now: number;
  registeredFrom: number;
  registeredUntil: number;
  minMessages: number;
  maxSpamReports: number;
  /** Maximum number of devices that are examined, the earliest registered first. */
  maxExamined: number;
  limit: number;
}

// A job adds what the sending windows have counted since its last run to the totals.
const messagesSent = "coalesce(t.sent, 0) + coalesce(w.sent, 0)";
const activityOfDevice = `
  left join queues q on q.device_id = d.device_id
  left join sent_totals t on t.device_id = d.device_id
  left join sending_windows w on w.device_id = d.device_id`;

/** Reads the counters of a device. */
export async function readActivity(db: Db, deviceId: string): Promise<DeviceActivity> {
  const row = await db.one<DeviceActivity>(
    `select ${messagesSent} as "messagesSent", coalesce(q.messages_received, 0) as "messagesReceived",
            coalesce(w.started_at, 0) as "windowStartedAt", coalesce(w.count, 0) as "windowCount"
     from (select :deviceId::text as device_id) as d ${activityOfDevice}`,
    { deviceId },
  );
  return row ?? { messagesSent: 0, messagesReceived: 0, windowStartedAt: 0, windowCount: 0 };
}

/** SQL for devices that may be pending: of the given age, and neither verified, blocked nor banned. */
const candidates = `
  from devices
  where registered_at between :registeredFrom::bigint and :registeredUntil::bigint
    and not admin_verified and blocked_at is null
    and (banned_until is null or banned_until <= :now::bigint)
    and spam_reports <= :maxSpamReports::bigint`;

/** Counts the candidates, up to `upTo`. */
export async function countCandidates(
  db: Db,
  filter: Omit<PendingFilter, "maxExamined" | "limit" | "minMessages"> & { upTo: number },
): Promise<number> {
  const { now, registeredFrom, registeredUntil, maxSpamReports, upTo } = filter;
  const bindings = { now, registeredFrom, registeredUntil, maxSpamReports, upTo };
  const row = await db.one<{ count: number }>(
    `-- every shard
     select count(*) as count from (select 1 ${candidates} limit :upTo::int) as examined`,
    bindings,
  );
  return row?.count ?? 0;
}

/**
 * Lists pending devices by registration time. They are read in the order of its index and joined with their counters by
 * key. The bound on examined devices keeps the query fast for any range of ages.
 */
export async function readPending(db: Db, filter: PendingFilter): Promise<{ devices: PendingDevice[]; total: number }> {
  const found = await db.rows<PendingDevice & { total: number }>(
    `-- every shard
     with examined as (
       select * ${candidates}
       order by registered_at, device_id
       limit :maxExamined::int)
     select d.device_id as "deviceId", d.registered_at as "registeredAt", d.admin_verified as "verified",
            d.blocked_at as "blockedAt", d.banned_until as "bannedUntil", d.custom_limit as "customLimit",
            d.custom_limit_expires_at as "customLimitExpiresAt", d.spam_reports as "spamReports",
            ${messagesSent} as "messagesSent", coalesce(q.messages_received, 0) as "messagesReceived",
            count(*) over () as total
     from examined d ${activityOfDevice}
     where ${messagesSent} >= :minMessages::bigint
     order by d.registered_at, d.device_id
     limit :limit::int`,
    { ...filter },
  );
  return { devices: found.map(({ total: _, ...device }) => device), total: found[0]?.total ?? 0 };
}
