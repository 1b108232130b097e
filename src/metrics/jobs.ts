import type { Schedule } from "../platform/cluster/schedule.js";
import type { Config } from "../platform/config/config.js";
import { hourSeconds } from "../protocol/units.js";
import type { Snapshot } from "./snapshot.js";

const removeEverySeconds = hourSeconds;

/** What the scheduler runs here: counting, and forgetting metrics that nobody can ask for any more. */
export function scheduleMetricsJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery">,
  service: { snapshot: Pick<Snapshot, "takeDue">; removeOld(): Promise<void> },
  config: Pick<Config, "censusSeconds">,
): void {
  schedule.every("metrics.census", config.censusSeconds, () => service.snapshot.takeDue());
  schedule.cleanUpEvery("metrics.remove-old", removeEverySeconds, () => service.removeOld());
}
