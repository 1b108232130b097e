import type { Device } from "../devices/service.js";
import { type Db, rows } from "../platform/database/connection.js";

/** What the queue's counters tell of a device; zeros where it has none yet. */
export interface DeviceActivity {
  messagesSent: number;
  messagesReceived: number;
  /** The sending window: when it began (Unix seconds, 0 for never) and what was sent in it. */
  windowStartedAt: number;
  windowCount: number;
}

/** A device that waits for somebody to judge it. */
export type PendingDevice = Pick<
  Device,
  "deviceId" | "registeredAt" | "verified" | "blockedAt" | "bannedUntil" | "customLimit" | "customLimitExpiresAt"
> &
  Pick<DeviceActivity, "messagesSent" | "messagesReceived"> & { spamReports: number };

export interface PendingFilter {
  now: number;
  registeredFrom: number;
  registeredUntil: number;
  minMessages: number;
  maxSpamReports: number;
  /** Most devices that are looked at, from the longest registered on. */
  mostSeen: number;
  limit: number;
}

// What a device sent is counted apart from its queue, lately where no log holds it; in the queue's row before that.
const messagesSent = "coalesce(m.messages_sent, 0) + coalesce(t.sent, 0) + coalesce(w.sent, 0)";
const activityOfDevice = `
  left join mailboxes m on m.device_id = d.device_id
  left join sent_totals t on t.device_id = d.device_id
  left join sending_windows w on w.device_id = d.device_id`;

export async function readActivity(db: Db, deviceId: string): Promise<DeviceActivity> {
  const [row] = await rows<DeviceActivity>(
    db,
    `select ${messagesSent} as "messagesSent", coalesce(m.messages_received, 0) as "messagesReceived",
            coalesce(w.started_at, 0) as "windowStartedAt", coalesce(w.count, 0) as "windowCount"
     from (select :deviceId::text as device_id) as d ${activityOfDevice}`,
    { deviceId },
  );
  return row ?? { messagesSent: 0, messagesReceived: 0, windowStartedAt: 0, windowCount: 0 };
}

/** Devices that may be pending: of the age asked for, and nobody's decision made about them. */
const candidates = `
  from devices
  where registered_at between :registeredFrom::bigint and :registeredUntil::bigint
    and not admin_verified and blocked_at is null
    and (banned_until is null or banned_until <= :now::bigint)
    and spam_reports <= :maxSpamReports::bigint`;

/** How many there are; no more are counted than `upTo`. */
export async function countCandidates(
  db: Db,
  filter: Omit<PendingFilter, "mostSeen" | "limit" | "minMessages"> & { upTo: number },
): Promise<number> {
  const { now, registeredFrom, registeredUntil, maxSpamReports, upTo } = filter;
  const bindings = { now, registeredFrom, registeredUntil, maxSpamReports, upTo };
  const [row] = await rows<{ count: number }>(
    db,
    `select count(*) as count from (select 1 ${candidates} limit :upTo::int) as seen`,
    bindings,
  );
  return row?.count ?? 0;
}

/**
 * Devices by their registration, read along its index and joined with their counters by key; verified, blocked and
 * banned ones are left out. The bound on what is looked at keeps the answer quick however wide the range is.
 */
export async function readPending(db: Db, filter: PendingFilter): Promise<{ devices: PendingDevice[]; total: number }> {
  const found = await rows<PendingDevice & { total: number }>(
    db,
    `with seen as (
       select * ${candidates}
       order by registered_at, device_id
       limit :mostSeen::int)
     select d.device_id as "deviceId", d.registered_at as "registeredAt", d.admin_verified as "verified",
            d.blocked_at as "blockedAt", d.banned_until as "bannedUntil", d.custom_limit as "customLimit",
            d.custom_limit_expires_at as "customLimitExpiresAt", d.spam_reports as "spamReports",
            ${messagesSent} as "messagesSent", coalesce(m.messages_received, 0) as "messagesReceived",
            count(*) over () as total
     from seen d ${activityOfDevice}
     where ${messagesSent} >= :minMessages::bigint
     order by d.registered_at, d.device_id
     limit :limit::int`,
    { ...filter },
  );
  return { devices: found.map(({ total: _, ...device }) => device), total: found[0]?.total ?? 0 };
}
