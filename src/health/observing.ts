import { performance } from "node:perf_hooks";
import type { Knex } from "knex";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import type { Observed } from "./judging.js";
import { readFirstExpiry, readWaitingServers } from "./read-model.js";

const latelySeconds = 300;

/** Looks at everything that the parts are judged by; null where the database stops answering meanwhile. */
export async function observe(
  needs: { db: Knex; clock: Clock; metrics: MetricsService; logger: Logger },
  known: Pick<Observed, "databaseMillis" | "federationEnabled">,
): Promise<Observed | null> {
  const { db, clock, metrics, logger } = needs;
  const now = clock.nowSeconds();
  try {
    await metrics.flush();
    const startedAt = performance.now();
    const firstExpiry = await readFirstExpiry(db);
    const queueMillis = performance.now() - startedAt;
    return {
      ...{ ...known, now, queueMillis },
      overdueSeconds: firstExpiry === null ? 0 : Math.max(0, now - firstExpiry),
      census: await metrics.census.current(),
      refusedLately: await metrics.sum("requests_overloaded", now - latelySeconds),
      waitingServers: await readWaitingServers(db),
      readings: await metrics.readings(),
    };
  } catch (error) {
    logger.warn({ err: error }, "the parts of the server could not be looked at");
    return null;
  }
}
