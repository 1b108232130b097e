import { performance } from "node:perf_hooks";
import type { Knex } from "knex";
import type { Config } from "./config.js";
import { rows } from "./database/connection.js";
import type { Logger } from "./logger.js";

/** Source of the present moment. Every time in the relay is database time, as Unix time. */
export interface Clock {
  nowMillis(): number;
  nowSeconds(): number;
}

/** A clock that follows the database's one and says whether it may be trusted. */
export interface DatabaseClock extends Clock {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** False while the difference to the database's time is unknown, stale, or may be more than the limit. */
  sound(): boolean;
}

/** A clock that tests advance by hand. It goes on running with the clock that it wraps. */
export interface ManualClock extends Clock {
  advance(seconds: number): void;
}

// A measurement is trusted until this many of the next ones have failed.
const failuresBorne = 6;

/** The machine's own clock. */
export function createSystemClock(): Clock {
  return fromMillis(() => Date.now());
}

/** Wraps a clock with an offset that starts at zero and only grows. */
export function createManualClock(base: Clock): ManualClock {
  let offsetMillis = 0;
  const advance = (seconds: number) => {
    if (seconds < 0) throw new RangeError("a clock is advanced by a positive number of seconds");
    offsetMillis += seconds * 1000;
  };
  return { ...fromMillis(() => base.nowMillis() + offsetMillis), advance };
}

/**
 * A clock that runs by the process's monotonic timer, set by the database's clock: changes of the machine's clock do
 * not move it. It is measured anew every `clockCheckSeconds`; half the round trip is the uncertainty of a measurement. Where a
 * measurement sets it back, it stands still until the database's time has caught up: time never runs backwards.
 */
export function createDatabaseClock(needs: {
  db: Knex;
  logger: Logger;
  limits: Pick<Config, "clockCheckSeconds" | "clockDriftLimitMillis">;
}): DatabaseClock {
  const { db, logger, limits } = needs;
  const measureEveryMillis = limits.clockCheckSeconds * 1000;
  let offset = Date.now() - performance.now();
  let uncertainty = Number.POSITIVE_INFINITY;
  let measuredAt = Number.NEGATIVE_INFINITY;
  let latest = 0;
  let timer: NodeJS.Timeout | undefined;
  let measuring: Promise<void> = Promise.resolve();

  const measure = async (): Promise<void> => {
    const before = performance.now();
    const [row] = await rows<{ millis: number }>(db, "select extract(epoch from clock_timestamp()) * 1000 as millis");
    const after = performance.now();
    offset = (row?.millis ?? Number.NaN) - (before + after) / 2;
    uncertainty = (after - before) / 2;
    measuredAt = after;
  };
  const measureQuietly = () => {
    measuring = measure().catch((error: unknown) => {
      logger.warn({ err: error }, "the clock could not be compared with the database");
    });
  };

  return {
    ...fromMillis(() => {
      latest = Math.max(latest, performance.now() + offset);
      return latest;
    }),
    async start() {
      await measure();
      timer = setInterval(measureQuietly, measureEveryMillis);
    },
    async stop() {
      clearInterval(timer);
      await measuring;
    },
    sound() {
      const now = performance.now();
      const standingStill = Math.max(0, latest - (now + offset));
      const stale = now - measuredAt > failuresBorne * measureEveryMillis;
      return !stale && uncertainty + standingStill <= limits.clockDriftLimitMillis;
    },
  };
}

function fromMillis(read: () => number): Clock {
  const nowMillis = () => Math.floor(read());
  return { nowMillis, nowSeconds: () => Math.floor(nowMillis() / 1000) };
}
