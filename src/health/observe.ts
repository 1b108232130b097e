import { performance } from "node:perf_hooks";
import type { Database } from "../database/db.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { Logger } from "../platform/logger.js";
import type { HealthSettings } from "./config.js";
import { inTime } from "./database-watch.js";
import type { Observed } from "./evaluate.js";
import { readFirstExpiry, readWaitingServers } from "./read-model.js";

const latelySeconds = 300;
/** Each may take as long as a part may to be alive. */
const questions = 6;

interface ObservingDeps {
  db: Database;
  clock: Clock;
  metrics: MetricsService;
  logger: Logger;
  config: Pick<HealthSettings, "healthTimeoutMillis">;
}

type Known = Pick<Observed, "databaseMillis" | "writeTrouble" | "federationEnabled">;

/** Collects everything from which the components are evaluated; null if the database stops answering meanwhile. */
export async function observe(deps: ObservingDeps, known: Known): Promise<Observed | null> {
  try {
    return await inTime(observeAll(deps, known), questions * deps.config.healthTimeoutMillis);
  } catch (error) {
    deps.logger.warn({ err: error }, "the parts of the server could not be looked at");
    return null;
  }
}

async function observeAll({ db, clock, metrics }: ObservingDeps, known: Known): Promise<Observed> {
  const now = clock.nowSeconds();
  await metrics.flushQuietly();
  const startedAt = performance.now();
  const firstExpiry = await readFirstExpiry(db);
  const queueMillis = performance.now() - startedAt;
  return {
    ...known,
    now,
    queueMillis,
    overdueSeconds: firstExpiry === null ? 0 : Math.max(0, now - firstExpiry),
    snapshot: await metrics.snapshot.current(),
    refusedLately: await metrics.sum("requests_overloaded", now - latelySeconds),
    waitingServers: await readWaitingServers(db),
    readings: await metrics.readings(),
  };
}
