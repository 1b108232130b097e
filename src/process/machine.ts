import { availableParallelism, cpus } from "node:os";
import { performance } from "node:perf_hooks";

/** Load of this process and of its machine. */
export type Machine = ReturnType<typeof createMachine>;

/** Over shorter intervals the result means little; the previous one is returned. */
const shortestMillis = 500;

export function createMachine() {
  let last = measure();
  let percent: number | undefined;
  return {
    /**
     * Processor use since the last call, in percent: the higher of the use of all cores of the machine and of the
     * cores that this process may use (in a container with a processor limit).
     */
    cpuPercent(): number {
      const now = measure();
      if (percent === undefined || now.millis - last.millis >= shortestMillis) {
        percent = busyPercent(last, now);
        last = now;
      }
      return percent;
    },
    /** Resident memory of the process. */
    memoryBytes: (): number => process.memoryUsage.rss(),
  };
}

interface Measured {
  millis: number;
  /** Processor time of this process, in milliseconds. */
  own: number;
  /** Of all cores together, in milliseconds. */
  idle: number;
  all: number;
}

function measure(): Measured {
  const { user, system } = process.cpuUsage();
  const times = cpus().map((core) => core.times);
  return {
    millis: performance.now(),
    own: (user + system) / 1000,
    idle: times.reduce((sum, core) => sum + core.idle, 0),
    all: times.reduce((sum, core) => sum + core.user + core.nice + core.sys + core.irq + core.idle, 0),
  };
}

function busyPercent(from: Measured, to: Measured): number {
  const all = to.all - from.all;
  const ofMachine = all > 0 ? 1 - (to.idle - from.idle) / all : 0;
  const elapsed = to.millis - from.millis;
  const ofProcess = elapsed > 0 ? (to.own - from.own) / (elapsed * availableParallelism()) : 0;
  return Math.round(1000 * Math.min(1, Math.max(0, ofMachine, ofProcess))) / 10;
}
