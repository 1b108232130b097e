import type { Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { Logger } from "../platform/logger.js";
import { createLruCache } from "../platform/lru-cache.js";
import { hourSeconds } from "../protocol/units.js";
import { updateLastActive } from "./store.js";

const recordEverySeconds = hourSeconds;
const flushEveryMillis = 10_000;
const maxDevicesCached = 100_000;
const maxDevicesPending = 100_000;

/**
 * Records when devices were last active, with at most one write per device and hour. Activity is collected in memory
 * and written in batches. A cache of earlier writes saves statements. The statement applies the same rule, because
 * other nodes write too.
 */
export function createActivity(deps: { db: Db; clock: Clock; logger: Logger }) {
  const { db, clock, logger } = deps;
  const recordedAt = createLruCache<string, number>(maxDevicesCached);
  /** When each device that is still to be written was first seen active. */
  const pending = new Map<string, number>();

  const flush = async (): Promise<void> => {
    if (pending.size === 0) return;
    const entries = [...pending].sort(([a], [b]) => (a < b ? -1 : 1));
    const ids = entries.map(([id]) => id);
    pending.clear();
    try {
      await updateLastActive(db, { ids, times: entries.map(([, at]) => at), apartSeconds: recordEverySeconds });
    } catch (error) {
      for (const id of ids) recordedAt.delete(id);
      throw error;
    }
  };
  const periodic = createPeriodic({
    everyMillis: flushEveryMillis,
    run: flush,
    failed: (error) => logger.warn({ err: error }, "could not record the activity of devices"),
  });

  return {
    start: periodic.start,
    async stop(): Promise<void> {
      await periodic.stop();
      await periodic.run();
    },
    /** Records that a device has just been active. */
    touch(deviceId: string): void {
      const now = clock.nowSeconds();
      if (now - (recordedAt.get(deviceId) ?? 0) < recordEverySeconds || pending.size >= maxDevicesPending) return;
      recordedAt.set(deviceId, now);
      pending.set(deviceId, now);
    },
  };
}
