import type { Schedule } from "../platform/cluster/schedule.js";
import type { Config } from "../platform/config/config.js";
import type { HealthService } from "./service.js";

/** What the scheduler runs here: one node looks at the conditions of alerts, for all. */
export function scheduleHealthJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery">,
  health: Pick<HealthService, "check" | "removeOld">,
  config: Pick<Config, "alertCheckSeconds">,
): void {
  schedule.every("health.alerts", config.alertCheckSeconds, () => health.check());
  schedule.cleanUpEvery("health.forget-alerts", config.alertCheckSeconds, () => health.removeOld());
}
