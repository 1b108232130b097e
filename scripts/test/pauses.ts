import { readdirSync, readFileSync } from "node:fs";

const tickMillis = 100;
const chance = 0.6;
const averageMillis = 350;
const longestMillis = 2_500;
/** The variable of the environment by which the processes of a run are known: all of them inherit it. */
const variable = "TEST_RUN_WITH_PAUSES";

/** Marks the processes of a run, so that they can be paused. */
export function markedEnvironment(): Record<string, string> {
  return { [variable]: String(process.pid) };
}

/**
 * Pauses processes of the marked runs at random, as a busy machine does: a relay, a node of a pair, a PostgreSQL
 * backend, a browser, a test. About two are paused at any time, each for up to 2.5 seconds. Needs Linux. Returns a
 * function that ends it.
 */
export function pauseProcesses(): () => void {
  const mark = Buffer.from(`${variable}=${process.pid}\0`);
  const paused = new Map<number, number>();
  const resume = (until: number): void => {
    for (const [pid, end] of paused) {
      if (end > until) continue;
      paused.delete(pid);
      signal(pid, "SIGCONT");
    }
  };
  const timer = setInterval(() => {
    const now = performance.now();
    resume(now);
    if (Math.random() > chance) return;
    const running = readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && isRunning(pid) && isOfRun(pid, mark));
    const pid = running[Math.floor(Math.random() * running.length)];
    if (pid === undefined || !signal(pid, "SIGSTOP")) return;
    paused.set(pid, now + Math.min(-Math.log(Math.random()) * averageMillis, longestMillis));
  }, tickMillis);
  return () => {
    clearInterval(timer);
    resume(Number.POSITIVE_INFINITY);
  };
}

/** False for what a test has stopped itself, which must stay so, and for what has ended. */
function isRunning(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`).toString();
  return /\) [RSD] /.test(stat);
}

function isOfRun(pid: number, mark: Buffer): boolean {
  return read(`/proc/${pid}/environ`).includes(mark);
}

/** Empty if the process has ended. */
function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

/** False if the process has ended. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
