import type { Schedule } from "../platform/cluster/schedule.js";

const cleanUpEverySeconds = 600;

/** What the scheduler runs here: used challenges and windows that are over are forgotten. */
export function scheduleAdminJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  admin: { removeExpired(): Promise<void> },
): void {
  schedule.cleanUpEvery("admin.clean-up", cleanUpEverySeconds, () => admin.removeExpired());
}
