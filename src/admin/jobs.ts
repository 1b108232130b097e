import type { Schedule } from "../platform/schedule.js";

const cleanUpEverySeconds = 600;

/** What the scheduler runs here: used challenges and windows that are over are forgotten. */
export function scheduleAdminJobs(schedule: Pick<Schedule, "every">, admin: { removeExpired(): Promise<void> }): void {
  schedule.every("admin.clean-up", cleanUpEverySeconds, () => admin.removeExpired());
}
