import { performance } from "node:perf_hooks";
import type { Database } from "../database/db.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { Logger } from "../platform/logger.js";
import { emptyLruCaches } from "../platform/lru-cache.js";
import { hourMillis } from "../protocol/units.js";
import type { NodeSettings } from "./config.js";

/** Source of the current time. Every time in the relay is database time, as Unix time. */
export interface Clock {
  nowMillis(): number;
  nowSeconds(): number;
}

/** The database's clock has moved by more than clocks drift. */
export interface ClockJump {
  /** How far the database's clock is ahead, in seconds; negative if it is behind. */
  seconds: number;
  /** When the jump was first seen, in Unix seconds of the trusted clock. */
  since: number;
}

/** A clock that tests advance by hand. In between it runs with the clock that it wraps. */
export type ManualClock = ReturnType<typeof createManualClock>;

type ClockLimits = Pick<
  NodeSettings,
  "clockCheckSeconds" | "clockDriftLimitMillis" | "clockJumpLimitSeconds" | "clockAgreementSeconds"
>;

// A measurement stays trusted until this many later measurements have failed.
const failuresBorne = 6;
/**
 * Jumps are measured against an earlier offset, so that many small jumps count like a large one. That offset is renewed
 * this often.
 */
const referenceKeptMillis = hourMillis;

/** Clocks of nodes differ by less. */
const futureTolerated = 60;

/**
 * How long ago a stored time was, in seconds. A clock that was wrong may have stored a time that is yet to come. It says nothing, so
 * it counts as infinitely long ago: otherwise whatever is due some time after it would not happen until then.
 */
export function secondsSince(time: number, now: number): number {
  return time - now > futureTolerated ? Number.POSITIVE_INFINITY : Math.max(0, now - time);
}

/** The machine's own clock. */
export function createSystemClock(): Clock {
  return fromMillis(() => Date.now());
}

/** Wraps a clock with an offset that starts at zero and only grows. */
export function createManualClock(base: Clock) {
  let offsetMillis = 0;
  const advance = (seconds: number) => {
    if (seconds < 0) throw new RangeError("a clock is advanced by a positive number of seconds");
    offsetMillis += seconds * 1000;
  };
  return { ...fromMillis(() => base.nowMillis() + offsetMillis), advance };
}

/** A comparison with the database. Offsets are relative to the process's monotonic timer, in milliseconds. */
interface Measurement {
  at: number;
  /** Of the database's clock. */
  offset: number;
  /** Of this machine's clock. */
  machineOffset: number;
  uncertainty: number;
}

/** A jump that is not trusted (yet). */
interface Doubt {
  /** Whether the doubt concerns the database's time at the start. */
  fromStart: boolean;
  since: number;
  /** How far the database's time is from the trusted one, or at the start from this machine's. */
  byMillis: number;
  latest: Measurement;
  /** Since when the database's clock and this machine's have agreed and run evenly. */
  agreedSince: number | undefined;
}

/**
 * A clock that is set by the database's, and reports whether it may be trusted. It runs by the process's monotonic timer,
 * so changes of the machine's clock do not move it. It is compared every `clockCheckSeconds`; the uncertainty of a
 * measurement is half its round trip. If a measurement sets the clock back, it stops until the database's time has caught
 * up: time never runs backwards, unless a jump ahead is reversed. A measurement that is further from the monotonic timer than a clock can drift is not
 * trusted: the clock keeps running as before but counts as unsound. At the start there is no earlier measurement, so the
 * database is followed, but its time is not trusted if this machine's clock disagrees. Trust returns in one of three
 * ways: the database's time is back where it was expected; both clocks have agreed for `clockAgreementSeconds`; or an
 * operator accepts the time.
 */
export function createDatabaseClock(deps: { db: Database; logger: Logger; config: ClockLimits }) {
  const { db, logger, config } = deps;
  const measureEveryMillis = config.clockCheckSeconds * 1000;
  const jumpLimitMillis = config.clockJumpLimitSeconds * 1000;
  const believed = createBelievedOffset(deps);
  let uncertainty = Number.POSITIVE_INFINITY;
  let measuredAt = Number.NEGATIVE_INFINITY;
  let latest = 0;

  const measure = async (): Promise<Measurement> => {
    const before = performance.now();
    const row = await db.one<{ millis: number }>("select extract(epoch from clock_timestamp()) * 1000 as millis");
    const at = performance.now();
    uncertainty = (at - before) / 2;
    measuredAt = at;
    const measured = { at, offset: (row?.millis ?? Number.NaN) - (before + at) / 2, uncertainty };
    return { ...measured, machineOffset: Date.now() - at };
  };
  const periodic = createPeriodic({
    everyMillis: measureEveryMillis,
    run: async () => believed.consider(await measure()),
    failed: (error) => logger.warn({ err: error }, "the clock could not be compared with the database"),
  });

  return {
    ...fromMillis(() => {
      const present = performance.now() + believed.offset();
      if (latest - present <= jumpLimitMillis) latest = Math.max(latest, present);
      else {
        // A clock that was far ahead is no longer believed, and its time is not waited for.
        latest = present;
        emptyLruCaches();
      }
      return latest;
    }),
    async start(): Promise<void> {
      believed.consider(await measure());
      periodic.start();
    },
    stop: periodic.stop,
    /** False while the difference to the database's time is unknown, stale, not trusted, or possibly above the limit. */
    sound(): boolean {
      const now = performance.now();
      const behind = latest - (now + believed.offset());
      const standingStill = behind > jumpLimitMillis ? 0 : Math.max(0, behind);
      const stale = now - measuredAt > failuresBorne * measureEveryMillis;
      const isDoubted = believed.doubt() !== undefined;
      return !isDoubted && !stale && uncertainty + standingStill <= config.clockDriftLimitMillis;
    },
    /** The jump that makes the database's time untrusted; null while the time is trusted. */
    jump(): ClockJump | null {
      const doubt = believed.doubt();
      return doubt === undefined ? null : { seconds: seconds(doubt.byMillis), since: doubt.since };
    },
    /** Trusts the database's time from now on, even after a jump. */
    async accept(): Promise<void> {
      believed.believe(await measure());
    },
  };
}

/** The offset in use, and the doubt about the latest measurement, if any. */
function createBelievedOffset({ logger, config }: { logger: Logger; config: ClockLimits }) {
  const jumpLimitMillis = config.clockJumpLimitSeconds * 1000;
  const agreementMillis = config.clockAgreementSeconds * 1000;
  let offset = Date.now() - performance.now();
  let reference: Pick<Measurement, "offset" | "at"> | undefined;
  let doubt: Doubt | undefined;

  const differs = (one: number, other: number, measured: Measurement): boolean =>
    Math.abs(one - other) - measured.uncertainty > jumpLimitMillis;
  const follow = (measured: Measurement): void => {
    offset = measured.offset;
    const isOld = reference === undefined || measured.at - reference.at > referenceKeptMillis;
    if (isOld || doubt !== undefined) reference = measured;
  };
  const believe = (measured: Measurement): void => {
    if (doubt !== undefined) logger.info({ seconds: seconds(doubt.byMillis) }, "the database's clock is trusted again");
    follow(measured);
    doubt = undefined;
  };
  const agreedSince = (measured: Measurement): number | undefined => {
    const agrees = !differs(measured.offset, measured.machineOffset, measured);
    const isEven = doubt === undefined || !differs(measured.offset, doubt.latest.offset, measured);
    return agrees && isEven ? (doubt?.agreedSince ?? measured.at) : undefined;
  };
  const doubtOrBelieve = (
    measured: Measurement,
    { fromStart, byMillis }: Pick<Doubt, "fromStart" | "byMillis">,
  ): void => {
    if (doubt === undefined) {
      logger.error({ seconds: seconds(byMillis) }, "the database's clock jumped: deletion by age is suspended");
    }
    const since = doubt?.since ?? Math.floor((measured.at + offset) / 1000);
    const agreed = agreedSince(measured);
    doubt = { fromStart, since, byMillis, latest: measured, agreedSince: agreed };
    if (agreed !== undefined && measured.at - agreed >= agreementMillis) believe(measured);
  };

  return {
    offset: (): number => offset,
    doubt: (): Doubt | undefined => doubt,
    believe,
    consider(measured: Measurement): void {
      const fromStart = reference === undefined || (doubt?.fromStart ?? false);
      const expected = fromStart ? measured.machineOffset : (reference?.offset ?? measured.offset);
      if (reference === undefined) follow(measured);
      if (differs(measured.offset, expected, measured)) {
        doubtOrBelieve(measured, { fromStart, byMillis: measured.offset - expected });
      } else believe(measured);
    },
  };
}

function seconds(millis: number): number {
  return Math.round(millis / 1000);
}

function fromMillis(read: () => number): Clock {
  const nowMillis = () => Math.floor(read());
  return { nowMillis, nowSeconds: () => Math.floor(nowMillis() / 1000) };
}
