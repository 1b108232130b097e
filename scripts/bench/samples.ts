import { Worker } from "node:worker_threads";

/** What PostgreSQL's processes did at a moment, and how long each thread had waited for a processor until then. */
interface Sample {
  /** By the machine's monotonic clock, in milliseconds. */
  at: number;
  rows: readonly [pid: number, kind: string, state: string | null, waitType: string | null, wait: string | null][];
  /** In milliseconds, by process. */
  delays: Readonly<Record<string, number>>;
}

export interface PostgresWaits {
  works: number;
  lock: number;
  lightweightLock: number;
  sync: number;
  client: number;
}

/** From one moment to another, in milliseconds of the monotonic clock. */
interface Interval {
  from: number;
  to: number;
}

/** Milliseconds of an interval, by what passed in them. */
type Passed = Readonly<Record<string, number>>;

/** Samples of some seconds, taken by a thread of its own so that a busy driver delays none. */
export class Samples {
  private readonly samples: readonly Sample[];

  private constructor(samples: readonly Sample[]) {
    this.samples = samples;
  }

  /** `threads` are the processes whose waits for a processor are noted beside those of PostgreSQL's. */
  static async take(taken: { url: string; seconds: number; threads: readonly number[] }): Promise<Samples> {
    const worker = new Worker(new URL("sampler.js", import.meta.url), { workerData: taken, execArgv: [] });
    return new Samples(
      await new Promise((settle, fail) => {
        worker.once("message", settle).once("error", fail);
      }),
    );
  }

  covers({ from, to }: Interval): boolean {
    return from >= (this.samples[0]?.at ?? Number.NaN) && to <= (this.samples.at(-1)?.at ?? Number.NaN);
  }

  /** What connections of which a client awaits something did, in shares of their time. */
  shares(): PostgresWaits {
    const counted = { works: 0, lock: 0, lightweightLock: 0, sync: 0, client: 0 };
    const rows = this.samples.flatMap((sample) => sample.rows);
    for (const row of rows) {
      const [, kind, state] = row;
      if (kind === "client backend" && state !== "idle") counted[kindOf(row)] += 1;
    }
    const all = Object.values(counted).reduce((sum, one) => sum + one, 0);
    const shares = Object.entries(counted).map(([kind, count]) => [kind, count / Math.max(1, all)]);
    return Object.fromEntries(shares) as PostgresWaits;
  }

  /** What a process of PostgreSQL did in an interval: each sample stands for the time since the one before it. */
  didOf(backend: number, interval: Interval): Passed {
    const passed: Record<string, number> = {};
    for (const { sample, millis } of this.within(interval)) {
      const row = sample.rows.find(([pid]) => pid === backend);
      const name = row === undefined ? "unknown" : nameOf(row);
      passed[name] = (passed[name] ?? 0) + millis;
    }
    return passed;
  }

  /** How long processes of PostgreSQL that serve no client were at work in an interval, by their kind. */
  helpersIn(interval: Interval): Passed {
    const passed: Record<string, number> = {};
    for (const { sample, millis } of this.within(interval)) {
      const kinds = sample.rows.filter(([, kind, , type]) => kind !== "client backend" && type !== "Activity");
      for (const kind of new Set(kinds.map(([, one]) => one))) passed[kind] = (passed[kind] ?? 0) + millis;
    }
    return passed;
  }

  /** How long the first thread of a process was ready to run in an interval, and had no processor. */
  delayOf(pid: number, { from, to }: Interval): number {
    return this.delayUntil(pid, to) - this.delayUntil(pid, from);
  }

  private delayUntil(pid: number, at: number): number {
    const next = Math.min(this.indexAfter(at), this.samples.length - 1);
    const [before, after] = [this.samples[Math.max(0, next - 1)], this.samples[next]] as [Sample, Sample];
    const [first, last] = [before.delays[pid] ?? Number.NaN, after.delays[pid] ?? Number.NaN];
    const part = after === before ? 1 : Math.min(1, Math.max(0, (at - before.at) / (after.at - before.at)));
    return first + part * (last - first);
  }

  private *within({ from, to }: Interval): Iterable<{ sample: Sample; millis: number }> {
    for (let i = Math.max(1, this.indexAfter(from)); i < this.samples.length; i++) {
      const [before, sample] = [this.samples[i - 1], this.samples[i]] as [Sample, Sample];
      if (before.at >= to) return;
      yield { sample, millis: Math.min(to, sample.at) - Math.max(from, before.at) };
    }
  }

  /** The first sample at or after a moment. */
  private indexAfter(at: number): number {
    let [low, high] = [0, this.samples.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.samples[middle]?.at ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function nameOf([, , state, type, wait]: Sample["rows"][number]): string {
  if (type === null) return state === "active" ? "runs, or is ready to" : `${state}`;
  return type === "Client" ? "waits for the relay" : `${type} ${wait}`;
}

function kindOf([, , state, type, wait]: Sample["rows"][number]): keyof PostgresWaits {
  if (state?.startsWith("idle in transaction")) return "client";
  if (type === "Lock") return "lock";
  if (type === "IO" && wait?.startsWith("Wal")) return "sync";
  return type === "LWLock" ? "lightweightLock" : "works";
}
