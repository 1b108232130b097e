import type { Config } from "../platform/config.js";
import type { Schedule } from "../platform/schedule.js";
import type { Census } from "./census.js";

const removeEverySeconds = 3_600;

/** What the scheduler runs here: counting, and forgetting metrics that nobody can ask for any more. */
export function scheduleMetricsJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery">,
  service: { census: Pick<Census, "takeDue">; removeOld(): Promise<void> },
  limits: Pick<Config, "censusSeconds">,
): void {
  schedule.every("metrics.census", limits.censusSeconds, () => service.census.takeDue());
  schedule.cleanUpEvery("metrics.remove-old", removeEverySeconds, () => service.removeOld());
}
