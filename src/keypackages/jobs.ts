import type { Config } from "../platform/config.js";
import type { Schedule } from "../platform/schedule.js";
import type { Expiry } from "./expiry.js";

/** What the scheduler runs here: the expiry of key packages and of the counters of fetches. */
export function scheduleKeyPackageJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: Expiry,
  limits: Pick<Config, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("keypackages.expire", limits.expiryIntervalSeconds, () => service.removeExpired());
}
