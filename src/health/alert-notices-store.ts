import type { Db } from "../database/db.js";
import type { Alert } from "./types.js";

/** What happened to an alert: it was raised, changed its severity, or was cleared. */
export type AlertEvent = "raised" | "changed" | "cleared";

/** An event of an alert that is still to be sent to a channel. */
export interface DueNotice {
  event: AlertEvent;
  channel: string;
  /** Unix seconds. */
  createdAt: number;
  attempts: number;
  clearedAt: number | null;
  alert: Alert;
}

/** Records events for every channel, in the transaction that raises or clears the alerts. */
export async function addNotices(
  db: Db,
  given: { events: readonly { id: string; event: AlertEvent }[]; channels: readonly string[]; now: number },
): Promise<void> {
  const { events, channels, now } = given;
  if (events.length === 0 || channels.length === 0) return;
  await db.run(
    `insert into alert_pushes (alert_id, event, channel, created_at, next_attempt_at)
     select e.id, e.event, c.channel, :now::bigint, :now::bigint
     from unnest(:ids::text[], :events::text[]) as e (id, event)
     cross join unnest(:channels::text[]) as c (channel)
     on conflict do nothing`,
    { ids: events.map(({ id }) => id), events: events.map(({ event }) => event), channels, now },
  );
}

/** The notices that are due on these channels, the oldest first. A notice waits for earlier ones of its alert and channel. */
export async function readDueNotices(
  db: Db,
  given: { now: number; limit: number; channels: readonly string[] },
): Promise<DueNotice[]> {
  const found = await db.rows<Omit<DueNotice, "alert"> & Alert>(
    `select p.event, p.channel, p.created_at as "createdAt", p.attempts, a.cleared_at as "clearedAt",
            a.id, a.condition, a.subject, a.severity, a.component, a.message, a.started_at as "startedAt", a.details
     from alert_pushes p join alerts a on a.id = p.alert_id
     where p.next_attempt_at <= :now::bigint and p.channel = any(:channels::text[])
       and not exists (
         select from alert_pushes e
         where e.alert_id = p.alert_id and e.channel = p.channel and e.created_at < p.created_at
       )
     order by p.created_at, p.alert_id, p.event desc, p.channel
     limit :limit::integer`,
    given,
  );
  return found.map(({ event, channel, createdAt, attempts, clearedAt, ...alert }) => ({
    ...{ event, channel, createdAt, attempts, clearedAt },
    alert,
  }));
}

type PushKey = Pick<DueNotice, "event" | "channel"> & { alert: Pick<Alert, "id"> };

export async function deleteNotice(db: Db, { alert, event, channel }: PushKey): Promise<void> {
  await db.run(
    "delete from alert_pushes where alert_id = :id::text and event = :event::text and channel = :channel::text",
    { id: alert.id, event, channel },
  );
}

export async function postponeNotice(db: Db, { alert, event, channel }: PushKey, nextAttemptAt: number): Promise<void> {
  await db.run(
    `update alert_pushes set attempts = attempts + 1, next_attempt_at = :nextAttemptAt::bigint
     where alert_id = :id::text and event = :event::text and channel = :channel::text`,
    { id: alert.id, event, channel, nextAttemptAt },
  );
}

/** Deletes the notices of deleted alerts, and those for channels that are no longer configured. */
export async function deleteUselessNotices(db: Db, channels: readonly string[]): Promise<void> {
  await db.run(
    `delete from alert_pushes p
     where p.channel <> all(:channels::text[]) or not exists (select from alerts a where a.id = p.alert_id)`,
    { channels },
  );
}
