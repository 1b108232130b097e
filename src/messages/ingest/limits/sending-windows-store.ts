import type { Db, Executor } from "../../../database/db.js";
import { joinRegistered, registeredIds } from "../../model/read-model.js";
import { grantInWindow, type WindowTime } from "./messages-per-hour.js";

// The windows of a sender. Each statement that changes them is a separate transaction that stores no messages: rows
// that are written together can be linked by the transaction's number and in the log. Rows are locked in the order of
// their ids.

/** A request for a part of one sender's windows. */
export interface WindowRequest {
  deviceId: string;
  sends: number;
  /** Repetitions, messages to unknown recipients, and refused all-or-nothing messages. */
  misses: number;
  /** The maximum number of sends in a window, before carry-over. */
  sendLimit: number;
  missLimit: number;
  /** The limit from which the next window carries over. */
  windowLimit: number;
  /** The maximum number of carried-over messages in this window. */
  maxCarried: number;
}

/** The granted part of a request. Times are Unix seconds. */
export interface WindowGrant {
  device_id: string;
  started_at: number;
  /** What the window has counted, including the granted part. */
  count: number;
  carry: number;
  granted: number;
  misses_started_at: number;
  misses_count: number;
  misses_granted: number;
}

const requested = `
  unnest(
    :deviceIds::text[], :sends::integer[], :misses::integer[], :sendLimits::bigint[], :missLimits::bigint[],
    :windowLimits::integer[], :maxCarried::integer[]
  ) as d (device_id, sends, misses, send_limit, miss_limit, window_limit, max_carried)`;

const granted = [
  "started_at",
  "count",
  "carry",
  "granted",
  "misses_started_at",
  "misses_count",
  "misses_granted",
] as const;

/** Counts as much of each request as its window has left, and returns how much. `requests` are ordered by id. */
export async function countInWindows(
  db: Executor,
  requests: readonly WindowRequest[],
  time: WindowTime,
): Promise<WindowGrant[]> {
  return db.rows<WindowGrant>(
    `update sending_windows as w
     set (started_at, count, window_limit, carry, granted, misses_started_at, misses_count, misses_granted, sent) =
         (${grantInWindow})
     from ${requested}
     where w.device_id = d.device_id
     ${db.placement.onlyShardsOf("w.device_id", ":deviceIds::text[]")}
     returning w.device_id, ${granted.map((name) => `w.${name}`).join(", ")}`,
    { ...time, ...columnsOf(requests) },
  );
}

/** Returns what would be granted, without counting it and without a lock. */
export async function readWindows(
  db: Db,
  requests: readonly WindowRequest[],
  time: WindowTime,
): Promise<WindowGrant[]> {
  return db.rows<WindowGrant>(
    `select w.device_id, ${granted.map((name) => `j.${name}`).join(", ")}
     from ${requested}
     join sending_windows as w on w.device_id = d.device_id
     ${db.placement.onlyShardsOf("w.device_id", ":deviceIds::text[]")}
     , lateral (${grantInWindow}) as j`,
    { ...time, ...columnsOf(requests) },
  );
}

function columnsOf(requests: readonly WindowRequest[]) {
  return {
    deviceIds: requests.map((request) => request.deviceId),
    sends: requests.map((request) => request.sends),
    misses: requests.map((request) => request.misses),
    sendLimits: requests.map((request) => request.sendLimit),
    missLimits: requests.map((request) => request.missLimit),
    windowLimits: requests.map((request) => request.windowLimit),
    maxCarried: requests.map((request) => request.maxCarried),
  };
}

/** The unused part of a grant. */
export interface Unused {
  deviceId: string;
  startedAt: number;
  sends: number;
  missesStartedAt: number;
  misses: number;
}

/** Takes unused parts out of the windows that granted them. `unused` is ordered by id. */
export async function giveBackToWindows(db: Executor, unused: readonly Unused[]): Promise<void> {
  await db.run(
    `update sending_windows as w
     set count = w.count - case when w.started_at = d.started_at then d.sends else 0 end,
         misses_count = w.misses_count - case when w.misses_started_at = d.misses_started_at then d.misses else 0 end,
         sent = w.sent - d.sends
     from unnest(
            :deviceIds::text[], :startedAt::bigint[], :sends::bigint[], :missesStartedAt::bigint[], :misses::bigint[]
          ) as d (device_id, started_at, sends, misses_started_at, misses)
     where w.device_id = d.device_id
     ${db.placement.onlyShardsOf("w.device_id", ":deviceIds::text[]")}`,
    {
      deviceIds: unused.map((one) => one.deviceId),
      startedAt: unused.map((one) => one.startedAt),
      sends: unused.map((one) => one.sends),
      missesStartedAt: unused.map((one) => one.missesStartedAt),
      misses: unused.map((one) => one.misses),
    },
  );
}

/** Creates windows for registered devices that have none. `deviceIds` are in order. */
export async function createWindows(db: Executor, deviceIds: readonly string[]): Promise<void> {
  await db.run(
    `insert into sending_windows (device_id)
     ${registeredIds} order by device_id
     on conflict (device_id) do nothing`,
    { deviceIds },
  );
}

/**
 * Adds the messages that devices sent since the last time to their totals, for at most `limit` devices with ids beyond
 * `after`, in order. A device that sends meanwhile is left for the next time: its row is emptied only if it is still as
 * it was read. Returns the last id, or undefined if nothing was left.
 */
export async function addSentToTotals(
  db: Db,
  { after, limit }: { after: string; limit: number },
): Promise<string | undefined> {
  const row = await db.one<{ last: string | null }>(
    `-- every shard
     with counted as (
       select device_id, sent from sending_windows
       where device_id > :after::text and sent <> 0
       order by device_id
       limit :limit::integer
     ), emptied as (
       update sending_windows as w set sent = 0
       from counted as c
       where w.device_id = c.device_id and w.sent = c.sent
       returning c.device_id, c.sent
     ), added as (
       insert into sent_totals as t (device_id, sent)
       select e.device_id, e.sent from emptied as e
       ${joinRegistered("e")}
       order by e.device_id
       on conflict (device_id) do update set sent = t.sent + excluded.sent
     )
     select max(device_id) as last from counted`,
    { after, limit },
  );
  return row?.last ?? undefined;
}

/** Removes the windows and totals of devices. */
export async function deleteWindows(trx: Db, deviceIds: readonly string[]): Promise<void> {
  await trx.run("delete from sending_windows where device_id = any(:deviceIds::text[])", { deviceIds });
  await trx.run("delete from sent_totals where device_id = any(:deviceIds::text[])", { deviceIds });
}
