import { createHash } from "node:crypto";
import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Logger } from "../platform/logger.js";
import { type AlertEvent, addNotices } from "./alert-notices-store.js";
import { clearOtherAlerts, deleteAlertsBefore, raiseAlerts, readActiveAlerts } from "./store.js";
import type { Alert, Condition } from "./types.js";

export const maxAlerts = 1000;
const idDigits = 12;

/** Alerts, shared by all nodes. */
export function createAlerts(deps: {
  db: Database;
  clock: Clock;
  logger: Logger;
  /** Where events of alerts are sent. */
  channels: readonly string[];
}) {
  const { db, clock, logger, channels } = deps;
  return {
    /**
     * Raises alerts for met conditions, and clears active alerts whose conditions are no longer met. If `isUndecided`
     * holds for an active alert, the alert is left unchanged.
     */
    async settle(conditions: readonly Condition[], isUndecided: (alert: Alert) => boolean): Promise<void> {
      const now = clock.nowSeconds();
      const alerts = conditions.slice(0, maxAlerts).map((condition) => alertOf(condition, now));
      const { raised, cleared } = await db.transaction(async (trx) => {
        const before = await readActiveAlerts(trx, maxAlerts);
        const left = before.filter(isUndecided);
        const active = await raiseAlerts(trx, alerts);
        const met = [...alerts, ...left];
        const ended = await clearOtherAlerts(trx, {
          conditions: met.map(({ condition }) => condition),
          subjects: met.map(({ subject }) => subject),
          now,
        });
        const over = ended.map(({ id }) => ({ id, event: "cleared" as const }));
        await addNotices(trx, { events: [...eventsOf(active, before), ...over], channels, now });
        return { raised: newOf(active, before), cleared: ended };
      });
      for (const { condition, severity } of raised) logger.warn({ condition, severity }, "an alert was raised");
      if (cleared.length > 0) {
        logger.info({ conditions: cleared.map(({ condition }) => condition) }, "alerts were cleared");
      }
    },
    active: (): Promise<Alert[]> => readActiveAlerts(db, maxAlerts),
    removeBefore: (before: number): Promise<void> => deleteAlertsBefore(db, before),
  };
}

type Raised = Pick<Alert, "id" | "condition" | "severity">;

function newOf(raised: readonly Raised[], before: readonly Alert[]): Raised[] {
  const known = new Set(before.map(({ id }) => id));
  return raised.filter(({ id }) => !known.has(id));
}

function eventsOf(raised: readonly Raised[], before: readonly Alert[]): { id: string; event: AlertEvent }[] {
  const severities = new Map(before.map(({ id, severity }) => [id, severity]));
  return raised.flatMap(({ id, severity }) => {
    const known = severities.get(id);
    if (known === severity) return [];
    return [{ id, event: known === undefined ? "raised" : "changed" }];
  });
}

/**
 * An alert for a condition. Two alerts that begin at the same time with the same subject have the same id on every
 * node.
 */
export function alertOf({ since, ...condition }: Condition, now: number): Alert {
  const startedAt = Math.floor(since ?? now);
  const digest = createHash("sha256").update(`${condition.subject} ${startedAt}`).digest("hex");
  return { ...condition, startedAt, id: `alert_${condition.condition}_${digest.slice(0, idDigits)}` };
}
