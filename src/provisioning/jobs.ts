import type { Schedule } from "../platform/cluster/schedule.js";
import type { Config } from "../platform/config/config.js";
import type { ProvisioningService } from "./service.js";

/** What the scheduler runs here: addresses go once they have expired. */
export function scheduleProvisioningJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: Pick<ProvisioningService, "removeExpired">,
  config: Pick<Config, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("provisioning.expire", config.expiryIntervalSeconds, () => service.removeExpired());
}
