import { inBoundedSteps } from "../../database/bounded-steps.js";
import type { Database } from "../../database/db.js";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../node/clock.js";
import type { NodeSettings } from "../../node/config.js";
import type { Schedule } from "../../node/schedule.js";
import type { Logger } from "../../platform/logger.js";
import { daySeconds, hourSeconds } from "../../protocol/units.js";
import { deleteUnusedDestinations, findExpiredWaiting, removeWaiting } from "./store.js";

type OutboxExpiry = ReturnType<typeof createOutboxExpiry>;

const unusedDays = 90;
const unreachedDays = 1;
const forgetEverySeconds = hourSeconds;

/** Follows the expiry index in steps and deletes by key, one destination at a time. */
export function createOutboxExpiry(deps: {
  db: Database;
  clock: Clock;
  metrics: Pick<MetricsService, "count">;
  logger: Logger;
  config: Pick<NodeSettings, "expiryStepRows">;
}) {
  const { db, clock, metrics, logger, config } = deps;

  const expireSome = async (limit: number): Promise<number> => {
    const found = await findExpiredWaiting(db, { now: clock.nowSeconds(), limit });
    const positionsByDomain = new Map<string, number[]>();
    for (const { domain, position } of found)
      positionsByDomain.set(domain, [...(positionsByDomain.get(domain) ?? []), position]);
    for (const [domain, positions] of positionsByDomain) {
      const messages = await removeWaiting(db, { domain, positions });
      if (messages === 0) continue;
      metrics.count("federated_messages_expired", messages);
      logger.warn({ domain, messages }, "messages for another server expired");
    }
    return found.length;
  };

  return {
    /** Removes messages whose retention has ended and counts them. Returns their number. */
    expireWaiting: (): Promise<number> => inBoundedSteps(config.expiryStepRows, expireSome),
    /** Removes destinations that were not used for a long time. */
    async forgetDestinations(): Promise<void> {
      const now = clock.nowSeconds();
      await deleteUnusedDestinations(db, {
        usedBefore: now - unusedDays * daySeconds,
        unreachedBefore: now - unreachedDays * daySeconds,
      });
    },
  };
}

/** The scheduled jobs of the outbox. Delivery itself waits for no schedule. */
export function scheduleOutboxJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  outbox: OutboxExpiry,
  config: Pick<NodeSettings, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("federation.expire-outbox", config.expiryIntervalSeconds, async () => {
    await outbox.expireWaiting();
  });
  schedule.cleanUpEvery("federation.forget-destinations", forgetEverySeconds, () => outbox.forgetDestinations());
}
