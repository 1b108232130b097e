import { RelayError } from "../../protocol/errors.js";
import { passWait } from "./flush-waits.js";
import { ProgressWatch } from "./progress-watch.js";

// Callers add jobs one by one; the batcher runs many of them in one flush. A job waits in memory while earlier flushes
// run.
//
//   idle --add--> due (the event loop's turn ends, so that jobs of one turn go together) --> flushing
//   flushing --done--> flushing again with the jobs added meanwhile, else idle
//
// A job does not wait under light load; under heavy load flushes grow until the database keeps up. The number of
// waiting jobs is bounded; further callers are refused at once.
//
// With a pace, jobs wait for each other, because a flush of three costs little more than a flush of one. An urgent job ends
// the pause.
//
// Callers that wait for an answer before their next request would fall into step: nearly all of them would be in one
// flush while the node is idle, and the database would be idle while the node answers them and reads their next
// requests. So a flush takes at most half of the jobs that are present (running or waiting) when the previous flush
// ends, and it begins before the callers of the previous flush are answered. The two halves then alternate, and both
// sides stay busy. With enough jobs for two concurrent flushes, these alternate, and each takes every waiting job.
//
// A flush may take long because it waits for a lock or writes a lot. After `slowMillis` it is slow and no longer counts
// as running, so unrelated jobs go on. The number of slow flushes that do not count is bounded.
//
// If no flush has ended for `stuckMillis`, for instance because the database waits for its standby, the batcher is
// stuck: all callers get an error, though their jobs may still succeed, and so does each new caller until a flush ends.

/** The fraction of a full flush that justifies a second flush at the same time. */
const worthASecond = 0.25;
/** Up to this fraction of a full flush, all waiting jobs go into one flush. */
const worthHalving = 1 / 16;
/**
 * The fraction of the present jobs that makes the next flush begin at once instead of waiting for requests being read.
 */
const worthBeginning = 0.25;
/** A flush that lasts longer is slow. */
const slowMillis = 100;

export interface BatchBounds {
  /** Maximum of each that one flush takes; a single job may be larger. */
  flushCount: number;
  flushBytes: number;
  /** Maximum of each that may wait. */
  waitingCount: number;
  waitingBytes: number;
  /** Maximum number of flushes that run at once, without slow ones. */
  concurrent: number;
  /** Maximum number of slow flushes that do not count as running; 0 by default. */
  slow?: number;
  /** The batcher is stuck after this long without a completed flush; never by default. */
  stuckMillis?: number;
  /** Makes flushes fewer and larger. It may change at any time. */
  readonly pace?: Pace | undefined;
  /** A flush takes all waiting jobs, up to its bounds: the callers do not wait for the answer before their next job. */
  takesAll?: boolean;
}

/** The minimum time between the starts of two flushes. It shrinks as jobs wait, down to none for `fullCount`. */
export interface Pace {
  millis: number;
  fullCount: number;
}

export interface Weight {
  count: number;
  /** What the job occupies in memory. */
  bytes: number;
  /** What its flush writes, if different. */
  writtenBytes?: number;
}

export interface Batcher<Job, Result> {
  /**
   * Resolves with the job's result once its flush has ended. An urgent job skips the pause. Throws OVERLOADED if too
   * much is waiting, and DATABASE_UNAVAILABLE if the batcher is stuck; in that case the job may still succeed.
   */
  add(job: Job, weight: Weight, urgency?: "urgent"): Promise<Result>;
  /** Whether jobs are refused because no flush ends. */
  isStuck(): boolean;
  /** Refuses further jobs and resolves when the last flush has ended. */
  stop(): Promise<void>;
}

interface Refusable {
  weight: Weight;
  reject(error: unknown): void;
}

interface Waiting<Job, Result> extends Refusable {
  job: Job;
  resolve(result: Result): void;
}

/** `flush` returns the results of its jobs in order. If it throws, all of its callers get the error. */
export function createBatcher<Job, Result>(deps: {
  name: string;
  bounds: BatchBounds;
  flush: (jobs: Job[]) => Promise<Result[]>;
}): Batcher<Job, Result> {
  const { name, bounds } = deps;
  const waiting = new Line<Waiting<Job, Result>>();
  let idle: (() => void) | undefined;
  let running = 0;
  /** Jobs in running flushes. */
  let runningCount = 0;
  /** Running jobs plus those that were waiting when the last flush ended. */
  let about = 0;
  let due = false;
  let stopped = false;
  const stuck = new StuckFlushes(name, bounds, waiting);
  const noteWait = (): void =>
    passWait(name, () => {
      if (waiting.length === 0) return undefined;
      if (pacing.isPausing) return "pace";
      return due ? "turn" : "other flush";
    });
  const begin = (): void => {
    due = false;
    if (waiting.length > 0 && slow.leaves(running) < bounds.concurrent) void run();
    else rest();
  };
  const pacing = new Pacing(bounds, begin);
  const slow = new SlowFlushes(bounds);
  const schedule = (): void => {
    if (due || waiting.length === 0 || slow.leaves(running) >= bounds.concurrent) return;
    // A second flush beside a running one is worth its transaction only if it is large.
    if (slow.leaves(running) > 0 && waiting.count < bounds.flushCount * worthASecond) return;
    due = true;
    pacing.schedule(waiting.count, stopped);
    noteWait();
  };
  const run = async (): Promise<void> => {
    pacing.flushBegins();
    const present = Math.max(about, runningCount + waiting.count);
    const { items, count } = waiting.take({ ...bounds, flushCount: shareOf(present, bounds) });
    running += 1;
    runningCount += count;
    noteWait();
    schedule();
    const answer = await stuck.during(items, slow.during(outcomeOf(items, deps.flush), schedule));
    about = runningCount + waiting.count;
    running -= 1;
    runningCount -= count;
    const isWorthIt = waiting.length > 0 && waiting.count >= about * worthBeginning;
    if (isWorthIt && !pacing.holdsBack(waiting.count)) void run();
    else schedule();
    answer();
    rest();
  };
  const rest = (): void => void (running === 0 && waiting.length === 0 && idle?.());
  return {
    add(job, weight, urgency) {
      if (stuck.isStuck) return Promise.reject(unconfirmed(name));
      if (stopped || (waiting.length > 0 && isTooMuch(waiting, weight, bounds))) return Promise.reject(refusal(name));
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ job, weight, resolve, reject });
        if (urgency === "urgent") pacing.hurry();
        pacing.join(waiting.count);
        schedule();
        noteWait();
      });
    },
    isStuck: () => stuck.isStuck,
    async stop() {
      stopped = true;
      if (running === 0 && waiting.length === 0 && !due) return;
      await new Promise<void>((resolve) => {
        idle = resolve;
      });
    },
  };
}

/** How many of the present jobs one flush takes. */
function shareOf(about: number, { flushCount, concurrent, takesAll }: BatchBounds): number {
  if (takesAll === true) return flushCount;
  const half = Math.max(about / 2, worthHalving * flushCount);
  const isForTwo = concurrent > 1 && half >= worthASecond * flushCount;
  return isForTwo ? flushCount : Math.min(half, flushCount);
}

function refusal(name: string): RelayError {
  return new RelayError("OVERLOADED", `too many ${name} are waiting; try again in a moment`);
}

function unconfirmed(name: string): RelayError {
  return new RelayError(
    "DATABASE_UNAVAILABLE",
    `the database does not confirm ${name} in time; sending them again does no harm`,
  );
}

function isTooMuch(waiting: Weight, more: Weight, { waitingCount, waitingBytes }: BatchBounds): boolean {
  return waiting.count + more.count > waitingCount || waiting.bytes + more.bytes > waitingBytes;
}

/** Runs a flush and returns the function that settles its callers' promises. */
async function outcomeOf<Job, Result>(
  batch: Waiting<Job, Result>[],
  flush: (jobs: Job[]) => Promise<Result[]>,
): Promise<() => void> {
  try {
    const results = await flush(batch.map(({ job }) => job));
    return () => batch.forEach((waiter, i) => void waiter.resolve(results[i] as Result));
  } catch (error) {
    return () => batch.forEach((waiter) => void waiter.reject(error));
  }
}

/** Counts slow flushes. */
class SlowFlushes {
  private readonly bounds: Pick<BatchBounds, "slow">;
  private count = 0;

  constructor(bounds: SlowFlushes["bounds"]) {
    this.bounds = bounds;
  }

  /** How many running flushes keep others from beginning. */
  leaves(running: number): number {
    return running - Math.min(this.count, this.bounds.slow ?? 0);
  }

  /** Waits for a flush, and calls `becameSlow` if it takes long. */
  async during<T>(flush: Promise<T>, becameSlow: () => void): Promise<T> {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.count += 1;
      becameSlow();
    }, slowMillis);
    const result = await flush;
    clearTimeout(timer);
    if (isSlow) this.count -= 1;
    return result;
  }
}

/** Refuses the jobs of all callers while no flush ends. */
class StuckFlushes {
  isStuck = false;
  private readonly running = new Set<readonly Refusable[]>();
  private readonly progress: ProgressWatch | undefined;

  constructor(name: string, { stuckMillis }: Pick<BatchBounds, "stuckMillis">, waiting: Line<Refusable>) {
    const refuseAll = (): void => {
      this.isStuck = true;
      for (const { reject } of [...this.running].flat().concat(waiting.takeAll())) reject(unconfirmed(name));
    };
    this.progress = stuckMillis === undefined ? undefined : new ProgressWatch(stuckMillis, refuseAll);
  }

  async during<T>(jobs: readonly Refusable[], flush: Promise<T>): Promise<T> {
    this.running.add(jobs);
    this.progress?.began();
    try {
      return await flush;
    } finally {
      this.running.delete(jobs);
      this.progress?.ended();
      this.isStuck = false;
    }
  }
}

/** When the next flush begins: after the pause that the pace asks for, or at the end of this turn of the event loop. */
class Pacing {
  private readonly bounds: Pick<BatchBounds, "pace">;
  private readonly begin: () => void;
  private begunAt = Number.NEGATIVE_INFINITY;
  private pause: NodeJS.Timeout | undefined;
  /** Whether an urgent job waits. */
  private hurried = false;

  constructor(bounds: Pacing["bounds"], begin: () => void) {
    this.bounds = bounds;
    this.begin = begin;
  }

  get isPausing(): boolean {
    return this.pause !== undefined;
  }

  flushBegins(): void {
    this.begunAt = performance.now();
    this.hurried = false;
  }

  /** The next flush begins without a pause. */
  hurry(): void {
    this.hurried = true;
  }

  /** Whether the next flush should not begin yet. */
  holdsBack(waiting: number): boolean {
    return this.pause !== undefined || this.millisLeft(waiting) > 0;
  }

  schedule(waiting: number, isLast: boolean): void {
    const millis = isLast ? 0 : this.millisLeft(waiting);
    if (millis <= 0) {
      setImmediate(this.begin);
      return;
    }
    this.pause = setTimeout(() => {
      this.endPause();
      this.begin();
    }, millis);
  }

  /** Called when a job has joined: ends the pause early if enough jobs wait. */
  join(waiting: number): void {
    if (this.pause === undefined || this.millisLeft(waiting) > 0) return;
    this.endPause();
    setImmediate(this.begin);
  }

  private endPause(): void {
    clearTimeout(this.pause);
    this.pause = undefined;
  }

  private millisLeft(waiting: number): number {
    const { pace } = this.bounds;
    if (pace === undefined || this.hurried) return 0;
    const { millis, fullCount } = pace;
    return this.begunAt + millis * Math.max(0, 1 - waiting / fullCount) - performance.now();
  }
}

/** A first-in, first-out queue that knows the sums of its items' weights. */
class Line<T extends { weight: Weight }> {
  private readonly items: T[] = [];
  count = 0;
  bytes = 0;

  get length(): number {
    return this.items.length;
  }

  push(item: T): void {
    this.items.push(item);
    this.count += item.weight.count;
    this.bytes += item.weight.bytes;
  }

  takeAll(): T[] {
    const everything = { flushCount: Number.POSITIVE_INFINITY, flushBytes: Number.POSITIVE_INFINITY };
    return this.take(everything).items;
  }

  /** Takes items off the front until a bound is reached, but at least one. */
  take(bounds: Pick<BatchBounds, "flushCount" | "flushBytes">): { items: T[]; count: number } {
    const sum = { count: 0, bytes: 0 };
    const end = this.items.findIndex(({ weight }, i) => {
      sum.count += weight.count;
      sum.bytes += weight.writtenBytes ?? weight.bytes;
      return i > 0 && (sum.count > bounds.flushCount || sum.bytes > bounds.flushBytes);
    });
    const items = this.items.splice(0, end < 0 ? this.items.length : end);
    const before = this.count;
    for (const { weight } of items) {
      this.count -= weight.count;
      this.bytes -= weight.bytes;
    }
    return { items, count: before - this.count };
  }
}
