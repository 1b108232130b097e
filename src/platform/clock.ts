import { performance } from "node:perf_hooks";
import type { Knex } from "knex";
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
  /** False while the offset to the database is unknown, stale or uncertain by more than 2 seconds. */
  sound(): boolean;
}

/** A clock that tests advance by hand. It goes on running with the clock that it wraps. */
export interface ManualClock extends Clock {
  advance(seconds: number): void;
}

const measureEverySeconds = 10;
const measurementLifetimeMillis = 60_000;
const greatestUncertaintyMillis = 2_000;

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
 * not move it. It is measured anew every 10 seconds; half the round trip is the uncertainty of a measurement. Where a
 * measurement sets it back, it stands still until the database's time has caught up: time never runs backwards.
 */
export function createDatabaseClock(needs: { db: Knex; logger: Logger }): DatabaseClock {
  const { db, logger } = needs;
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
      timer = setInterval(measureQuietly, measureEverySeconds * 1000);
    },
    async stop() {
      clearInterval(timer);
      await measuring;
    },
    sound: () =>
      uncertainty <= greatestUncertaintyMillis && performance.now() - measuredAt <= measurementLifetimeMillis,
  };
}

function fromMillis(read: () => number): Clock {
  const nowMillis = () => Math.floor(read());
  return { nowMillis, nowSeconds: () => Math.floor(nowMillis() / 1000) };
}
