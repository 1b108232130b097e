import type { Schedule } from "../platform/cluster/schedule.js";
import type { ScheduledBackups } from "./service.js";

const lookEverySeconds = 30;

/** One node looks for all whether a backup is due. */
export function scheduleBackupJobs(
  schedule: Pick<Schedule, "every">,
  backups: Pick<ScheduledBackups, "makeDue">,
): void {
  schedule.every("backup.make-due", lookEverySeconds, () => backups.makeDue());
}
