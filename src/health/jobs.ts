import type { Config } from "../platform/config.js";
import type { Schedule } from "../platform/schedule.js";
import type { HealthService } from "./service.js";

/** What the scheduler runs here: one node looks at the conditions of alerts, for all. */
export function scheduleHealthJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery">,
  health: Pick<HealthService, "check" | "removeOld">,
  limits: Pick<Config, "alertCheckSeconds">,
): void {
  schedule.every("health.alerts", limits.alertCheckSeconds, () => health.check());
  schedule.cleanUpEvery("health.forget-alerts", limits.alertCheckSeconds, () => health.removeOld());
}
