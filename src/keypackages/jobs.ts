import type { Schedule } from "../platform/cluster/schedule.js";
import type { Config } from "../platform/config/config.js";
import type { Expiry } from "./expiry.js";

/** What the scheduler runs here: the expiry of key packages and of the counters of fetches. */
export function scheduleKeyPackageJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: Expiry,
  config: Pick<Config, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("keypackages.expire", config.expiryIntervalSeconds, () => service.removeExpired());
}
