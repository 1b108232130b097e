import type { Knex } from "knex";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Schedule } from "../platform/cluster/schedule.js";
import type { Config } from "../platform/config/config.js";
import type { LowNotices } from "./low-notices.js";
import { clearExpiredLastResorts, deleteExpired } from "./store.js";

export interface Expiry {
  /** Deletes what has expired: packages, digests of fetched packages, and last-resort packages. */
  removeExpired(): Promise<void>;
}

/** Deletes in steps, each in its own transaction, so that none holds locks for long. */
export function createExpiry(deps: {
  db: Knex;
  clock: Clock;
  metrics: Pick<MetricsService, "count">;
  lowNotices: Pick<LowNotices, "changed">;
  config: Pick<Config, "expiryStepRows">;
}): Expiry {
  const { db, clock, metrics, lowNotices, config } = deps;
  const range = () => ({ now: clock.nowSeconds(), limit: config.expiryStepRows });

  const removePackages = async (): Promise<number> => {
    const expired = await deleteExpired(db, range());
    const unused = expired.filter((row) => row.unused).map((row) => row.deviceId);
    metrics.count("key_packages_expired", unused.length);
    // The number that is left is counted on the node that holds the device's stream. Few devices have one.
    for (const deviceId of new Set(unused)) lowNotices.changed(deviceId, null);
    return expired.length;
  };

  return {
    async removeExpired() {
      await untilDone(removePackages, config.expiryStepRows);
      await untilDone(() => clearExpiredLastResorts(db, range()), config.expiryStepRows);
    },
  };
}

async function untilDone(step: () => Promise<number>, limit: number): Promise<void> {
  for (let done = limit; done === limit; ) done = await step();
}

/** Schedules the expiry of key packages. */
export function scheduleKeyPackageJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: Expiry,
  config: Pick<Config, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("keypackages.expire", config.expiryIntervalSeconds, () => service.removeExpired());
}
