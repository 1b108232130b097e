import type { Schedule } from "../platform/schedule.js";

const everySeconds = 3_600;

/** What the scheduler runs here: metrics that nobody can ask for any more are forgotten. */
export function scheduleMetricsJobs(schedule: Pick<Schedule, "every">, service: { removeOld(): Promise<void> }): void {
  schedule.every("metrics.remove-old", everySeconds, () => service.removeOld());
}
