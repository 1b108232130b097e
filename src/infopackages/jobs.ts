import type { Schedule } from "../platform/cluster/schedule.js";
import type { Config } from "../platform/config/config.js";

/** What the scheduler runs here: once an hour (`infoPackageCleanupSeconds`) what has expired is removed. */
export function scheduleInfoPackagesJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: { removeExpired(): Promise<number> },
  config: Pick<Config, "infoPackageCleanupSeconds">,
): void {
  schedule.cleanUpEvery("infopackages.clean-up", config.infoPackageCleanupSeconds, async () => {
    await service.removeExpired();
  });
}
