import { LRUCache } from "lru-cache";
import type { Clock } from "../platform/cluster/clock.js";
import { createPeriodic } from "../platform/cluster/periodic.js";
import type { Db } from "../platform/database/connection.js";
import type { Logger } from "../platform/logger.js";
import { hourSeconds } from "../protocol/units.js";
import { updateLastActive } from "./store.js";

/** Notes which devices are active, sparing the database: at most one write per device and hour. */
export interface Activity {
  start(): void;
  stop(): Promise<void>;
  /** Notes that a device has just done something. */
  touch(deviceId: string): void;
}

const noteEverySeconds = hourSeconds;
const flushEveryMillis = 10_000;
const devicesRemembered = 100_000;
const devicesPending = 100_000;

/**
 * Notes gather in memory and are written together. What is remembered of earlier notes spares statements; the
 * statement itself repeats the rule, since other nodes write too.
 */
export function createActivity(deps: { db: Db; clock: Clock; logger: Logger }): Activity {
  const { db, clock, logger } = deps;
  const noted = new LRUCache<string, number>({ max: devicesRemembered });
  /** When each device that is to be noted was first seen active. */
  const pending = new Map<string, number>();

  const flush = async (): Promise<void> => {
    if (pending.size === 0) return;
    const notes = [...pending].sort(([a], [b]) => (a < b ? -1 : 1));
    const ids = notes.map(([id]) => id);
    pending.clear();
    try {
      await updateLastActive(db, { ids, times: notes.map(([, at]) => at), apartSeconds: noteEverySeconds });
    } catch (error) {
      for (const id of ids) noted.delete(id);
      throw error;
    }
  };
  const periodic = createPeriodic({
    everyMillis: flushEveryMillis,
    run: flush,
    failed: (error) => logger.warn({ err: error }, "the activity of devices could not be noted"),
  });

  return {
    start: periodic.start,
    async stop() {
      await periodic.stop();
      await periodic.run();
    },
    touch(deviceId) {
      const now = clock.nowSeconds();
      if (now - (noted.get(deviceId) ?? 0) < noteEverySeconds || pending.size >= devicesPending) return;
      noted.set(deviceId, now);
      pending.set(deviceId, now);
    },
  };
}
