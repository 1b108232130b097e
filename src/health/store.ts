import type { Db } from "../database/db.js";
import type { Alert } from "./types.js";

const alertColumns = `id, condition, subject, severity, component, message, started_at as "startedAt", details`;

/** Active alerts, the most severe and oldest first. */
export async function readActiveAlerts(db: Db, limit: number): Promise<Alert[]> {
  return db.rows<Alert>(
    `select ${alertColumns}
     from alerts
     where cleared_at is null
     order by array_position(array['critical', 'warning', 'info'], severity), started_at, id
     limit :limit::integer`,
    { limit },
  );
}

/** Raises alerts; an alert that is already active is updated and keeps its id. */
export async function raiseAlerts(
  db: Db,
  alerts: readonly Alert[],
): Promise<Pick<Alert, "id" | "condition" | "severity">[]> {
  return db.rows(
    `insert into alerts (id, condition, subject, severity, component, message, started_at, details)
     select id, condition, subject, severity, component, message, started_at, details
     from jsonb_to_recordset(:alerts::jsonb) as a (
       id text, condition text, subject text, severity text, component text, message text, started_at bigint,
       details jsonb
     )
     on conflict (condition, subject) where cleared_at is null do update
     set severity = excluded.severity, message = excluded.message, details = excluded.details
     returning id, condition, severity`,
    { alerts: JSON.stringify(alerts.map(({ startedAt, ...alert }) => ({ ...alert, started_at: startedAt }))) },
  );
}

/** Clears the active alerts, except those with these conditions and subjects (parallel arrays). */
export async function clearOtherAlerts(
  db: Db,
  standing: { conditions: readonly string[]; subjects: readonly string[]; now: number },
): Promise<Pick<Alert, "id" | "condition">[]> {
  return db.rows(
    `update alerts set cleared_at = :now::bigint
     where cleared_at is null
       and not exists (
         select from unnest(:conditions::text[], :subjects::text[]) as s (condition, subject)
         where s.condition = alerts.condition and s.subject = alerts.subject
       )
     returning id, condition`,
    standing,
  );
}

/** Deletes alerts that were cleared before a time. */
export async function deleteAlertsBefore(db: Db, before: number): Promise<void> {
  await db.run("delete from alerts where cleared_at < :before::bigint", { before });
}
