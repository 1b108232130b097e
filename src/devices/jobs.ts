import type { Schedule } from "../platform/cluster/schedule.js";

const removeEverySeconds = 600;

/** What the scheduler runs here: the removal of inactive devices. */
export function scheduleDevicesJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: { removeInactive(): Promise<number> },
): void {
  schedule.cleanUpEvery("devices.remove-inactive", removeEverySeconds, async () => {
    await service.removeInactive();
  });
}
