import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database } from "../database/db.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import type { Schedule } from "../node/schedule.js";
import { recomputeBalance } from "./anonymous-space.js";
import type { InfoPackageSettings } from "./config.js";
import { deleteEndedDownloads, deleteExpired, endKept } from "./store.js";

interface ExpiryDeps {
  db: Database;
  clock: Clock;
  metrics: Pick<MetricsService, "count">;
  config: Pick<NodeSettings, "expiryStepRows">;
}

/** Deletes expired packages, and counts the space of packages without an uploader again. Returns how many packages were deleted. */
export async function removeExpired({ db, clock, metrics, config }: ExpiryDeps): Promise<number> {
  const now = clock.nowSeconds();
  const steps = config.expiryStepRows;
  const removed = await inBoundedSteps(steps, (limit) => deleteExpired(db, { now, limit }));
  await inBoundedSteps(steps, (limit) => endKept(db, { now, limit }));
  await deleteEndedDownloads(db, { now });
  await recomputeBalance(db);
  if (removed > 0) metrics.count("info_packages_expired", removed);
  return removed;
}

/** Schedules the removal of expired packages, by default once an hour (INFO_PACKAGE_CLEANUP_SECONDS). */
export function scheduleInfoPackagesJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: { removeExpired(): Promise<number> },
  config: Pick<InfoPackageSettings, "infoPackageCleanupSeconds">,
): void {
  schedule.cleanUpEvery("infopackages.clean-up", config.infoPackageCleanupSeconds, async () => {
    await service.removeExpired();
  });
}
