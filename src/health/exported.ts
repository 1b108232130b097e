import type { Labelled } from "../metrics/service.js";
import { type Components, type HealthStatus, overallStatus } from "./evaluate.js";
import { type Alert, alertKinds } from "./types.js";

const valueOfStatus: Readonly<Record<HealthStatus, number>> = { healthy: 1, degraded: 0.5, unhealthy: 0 };

/** The state of every component, and of the whole as `server`. */
export function componentHealth(components: Components): Labelled[] {
  const parts = Object.entries(components).map(([component, { status }]) => [component, status] as const);
  return [...parts, ["server", overallStatus(components)] as const].map(([component, status]) => [
    { component },
    valueOfStatus[status],
  ]);
}

/** How many alerts of every kind and severity are active. */
export function activeAlerts(alerts: readonly Alert[]): Labelled[] {
  return Object.entries(alertKinds).flatMap(([alert, severities]) =>
    severities.map((severity): Labelled => {
      const active = alerts.filter((each) => each.condition === alert && each.severity === severity);
      return [{ alert, severity }, active.length];
    }),
  );
}
