import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database } from "../database/db.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import type { Schedule } from "../node/schedule.js";
import { deleteExpiredClaims } from "./claim-store.js";
import type { KeyPackageSettings } from "./config.js";
import type { LowNotices } from "./low-notices.js";
import { clearExpiredLastResort, deleteExpired, findExpiredLastResorts, findExpiredPackages } from "./store.js";

/** When a key package that is stored now can no longer be fetched, in Unix seconds. */
export function expiryOf(now: number, config: Pick<KeyPackageSettings, "keyPackageLifetimeSeconds">): number {
  return now + config.keyPackageLifetimeSeconds;
}

type Expiry = ReturnType<typeof createExpiry>;

/** Deletes in steps, each in a separate transaction, so that none holds locks for long. */
export function createExpiry(deps: {
  db: Database;
  clock: Clock;
  metrics: Pick<MetricsService, "count">;
  lowNotices: Pick<LowNotices, "changed">;
  config: Pick<NodeSettings, "expiryStepRows">;
}) {
  const { db, clock, metrics, lowNotices, config } = deps;
  const range = () => ({ now: clock.nowSeconds(), limit: config.expiryStepRows });

  const removePackages = async (): Promise<number> => {
    let removed = 0;
    for (const deviceId of await findExpiredPackages(db, range())) {
      const expired = await deleteExpired(db, { deviceId, ...range() });
      const unused = expired.filter((row) => row.unused).length;
      metrics.count("key_packages_expired", unused);
      // The number that is left is counted on the node that holds the device's stream. Few devices have one.
      if (unused > 0) lowNotices.changed(deviceId, null);
      removed += expired.length;
    }
    return removed;
  };
  const removeLastResorts = async (): Promise<number> => {
    let removed = 0;
    for (const deviceId of await findExpiredLastResorts(db, range())) {
      if (await clearExpiredLastResort(db, { deviceId, now: clock.nowSeconds() })) removed += 1;
    }
    return removed;
  };

  return {
    /** Deletes what has expired: packages, digests of fetched packages, last-resort packages, and answers to claims. */
    async removeExpired(): Promise<void> {
      await untilDone(removePackages, config.expiryStepRows);
      await untilDone(removeLastResorts, config.expiryStepRows);
      const now = clock.nowSeconds();
      await inBoundedSteps(config.expiryStepRows, (limit) => deleteExpiredClaims(db, { now, limit }));
    },
  };
}

async function untilDone(step: () => Promise<number>, limit: number): Promise<void> {
  for (let done = limit; done >= limit; ) done = await step();
}

/** Schedules the expiry of key packages. */
export function scheduleKeyPackageJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: Expiry,
  config: Pick<NodeSettings, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("keypackages.expire", config.expiryIntervalSeconds, () => service.removeExpired());
}
