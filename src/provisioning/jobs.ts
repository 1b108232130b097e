import type { Config } from "../platform/config.js";
import type { Schedule } from "../platform/schedule.js";
import type { ProvisioningService } from "./service.js";

/** What the scheduler runs here: addresses go once they have expired. */
export function scheduleProvisioningJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: Pick<ProvisioningService, "removeExpired">,
  limits: Pick<Config, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("provisioning.expire", limits.expiryIntervalSeconds, () => service.removeExpired());
}
