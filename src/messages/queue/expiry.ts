import type { Knex } from "knex";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Schedule } from "../../platform/cluster/schedule.js";
import type { Config } from "../../platform/config/config.js";
import { inBoundedSteps } from "../../platform/database/bounded-steps.js";
import { inTransaction } from "../../platform/database/connection.js";
import { daySeconds, hourSeconds } from "../../protocol/units.js";
import type { FederationCounts } from "../ingest/federation-counts.js";
import { retrying } from "../ingest/retry.js";
import { removeFromQueues } from "./remove.js";
import { deleteExpiredKeys, findExpired } from "./store.js";

export type ExpiryConfig = Pick<Config, "expiryStepRows">;

export interface Expiry {
  /** Removes messages whose retention is over; returns how many. */
  expireMessages(): Promise<number>;
  /** Removes hashes that were kept for the retention period; returns how many. */
  expireKeys(): Promise<number>;
}

/** Works through an index in steps of their own transaction, so that no step holds locks for long. */
export function createExpiry(deps: {
  db: Knex;
  clock: Clock;
  metrics: Pick<MetricsService, "count">;
  config: ExpiryConfig;
}): Expiry {
  const { db, clock, metrics, config } = deps;
  const limit = config.expiryStepRows;

  const expireSome = async (): Promise<number> => {
    const places = await findExpired(db, { now: clock.nowSeconds(), limit });
    if (places.length === 0) return 0;
    const removed = await retrying(() => inTransaction(db, (trx) => removeFromQueues(trx, places)));
    metrics.count("messages_expired", removed.length);
    return places.length;
  };

  return {
    expireMessages: () => inBoundedSteps(limit, expireSome),
    expireKeys() {
      const today = Math.floor(clock.nowSeconds() / daySeconds);
      return inBoundedSteps(limit, () => deleteExpiredKeys(db, { today, limit }));
    },
  };
}

const keysEverySeconds = hourSeconds;
const foldSendsEverySeconds = hourSeconds;
const foldEverySeconds = daySeconds;

/** What the scheduler runs here: the expiry of messages and of the hashes that recognise repetitions. */
export function scheduleMailboxJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery">,
  service: Expiry & Pick<FederationCounts, "foldSends" | "foldFederationCounts">,
  config: Pick<Config, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("mailbox.expire-messages", config.expiryIntervalSeconds, async () => {
    await service.expireMessages();
  });
  schedule.cleanUpEvery("mailbox.expire-keys", keysEverySeconds, async () => {
    await service.expireKeys();
  });
  schedule.every("mailbox.fold-sends", foldSendsEverySeconds, () => service.foldSends());
  schedule.cleanUpEvery("mailbox.fold-federation-counts", foldEverySeconds, () => service.foldFederationCounts());
}
