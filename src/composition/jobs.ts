import { scheduleAdminJobs } from "../admin/service.js";
import { scheduleBackupJobs } from "../backup/service.js";
import { scheduleBlobsJobs } from "../blobs/service.js";
import { scheduleDevicesJobs } from "../devices/service.js";
import { scheduleFederationJobs } from "../federation/jobs.js";
import { scheduleOutboxJobs } from "../federation/outbox/expired-waiting.js";
import { scheduleHealthJobs } from "../health/service.js";
import { scheduleInfoPackagesJobs } from "../infopackages/service.js";
import { scheduleKeyPackageJobs } from "../keypackages/service.js";
import { scheduleMessagesJobs } from "../messages/service.js";
import { scheduleMetricsJobs } from "../metrics/service.js";
import { scheduleModerationJobs } from "../moderation/service.js";
import { bringBackDueTimes } from "../node/due-times.js";
import { scheduleProvisioningJobs } from "../provisioning/service.js";
import { schedulePushJobs } from "../push/service.js";
import { scheduleRegistrationJobs } from "../registration/service.js";
import { scheduleSlotsJobs } from "../slots/service.js";
import type { Config } from "./config.js";
import { dueTimesOf } from "./due-times.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Services } from "./services.js";

interface JobsDeps {
  config: Config;
  infrastructure: Infrastructure;
  services: Services;
}

/** Adds the periodic jobs of every module to the schedule, which has not started yet. */
export function scheduleJobs({ config, infrastructure, services }: JobsDeps): void {
  const { schedule } = infrastructure;
  scheduleDevicesJobs(schedule, services.devices);
  scheduleRegistrationJobs(schedule, infrastructure);
  scheduleMessagesJobs(schedule, services.messages, config);
  scheduleFederationJobs(schedule, services.federation, config);
  scheduleOutboxJobs(schedule, services.federation.outbox, config);
  scheduleAdminJobs(schedule, services.admin);
  scheduleModerationJobs(schedule, services.moderation);
  scheduleInfoPackagesJobs(schedule, services.infopackages, config);
  scheduleSlotsJobs(schedule, services.slots);
  scheduleBlobsJobs(schedule, services.blobs.removal, config);
  schedulePushJobs(schedule, services.push, config);
  scheduleKeyPackageJobs(schedule, services.keyPackages, config);
  scheduleProvisioningJobs(schedule, services.provisioning, config);
  scheduleMetricsJobs(schedule, services.metrics, config);
  scheduleHealthJobs(schedule, services.health, config);
  scheduleBackupJobs(schedule, services.backups);
  schedulePlatformJobs(config, infrastructure, services.counters);
}

function schedulePlatformJobs(
  config: Config,
  { db, clock, schedule, sessions, signingKeys }: Infrastructure,
  counters: readonly { removeExpired(db: Infrastructure["db"]): Promise<void> }[],
): void {
  schedule.cleanUpEvery("platform.clean-up", cleanUpEverySeconds, async () => {
    await sessions.removeExpired();
    await signingKeys.removeExpired();
    for (const counter of counters) await counter.removeExpired(db);
  });
  // Waits, like clean-up, while the clock is not trusted.
  schedule.cleanUpEvery("platform.due-times", config.expiryIntervalSeconds, () =>
    bringBackDueTimes(db, dueTimesOf(config), clock),
  );
}

const cleanUpEverySeconds = 600;
