import type { Config } from "../platform/config.js";
import type { Schedule } from "../platform/schedule.js";

/** What the scheduler runs here: once an hour (INFO_PACKAGE_CLEANUP_SECONDS) what has expired is removed. */
export function scheduleInfoPackagesJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: { removeExpired(): Promise<number> },
  limits: Pick<Config, "infoPackageCleanupSeconds">,
): void {
  schedule.cleanUpEvery("infopackages.clean-up", limits.infoPackageCleanupSeconds, async () => {
    await service.removeExpired();
  });
}
