import { performance } from "node:perf_hooks";
import { printError, printOver } from "./print.js";

/** What long work tells about itself while it runs. */
export interface Progress {
  /** `part` of the work is done, from 0 to 1 as far as that can be told; `note` says what is being done. */
  at(part: number, note?: string): void;
  /** Takes the line off the terminal, before something else is printed. */
  clear(): void;
}

const drawnEveryMillis = 200;
const usualColumns = 80;

/**
 * Runs the work. On a terminal, a line of standard error shows the part that is done and an estimate of the time that is
 * left; it is gone when the work ends. Then one line tells what was done: `backup: 21 tables in 3 s`. A log has this line alone.
 * Without a summary there is no such line.
 */
export async function withProgress<T>(
  name: string,
  work: (progress: Progress) => Promise<T>,
  summaryOf: (result: T) => string | undefined,
): Promise<T> {
  const startedAt = performance.now();
  const line = process.stderr.isTTY ? createLine(name, startedAt) : undefined;
  let result: T;
  try {
    result = await work(line ?? inLog);
  } finally {
    line?.end();
  }
  const summary = summaryOf(result);
  if (summary !== undefined)
    printError(`${name}: ${summary} in ${describeSeconds((performance.now() - startedAt) / 1000)}`);
  return result;
}

/** For `--quiet`, and for work that nobody watches. */
export const inLog: Progress = { at: () => undefined, clear: () => undefined };

function createLine(name: string, startedAt: number): Progress & { end(): void } {
  let [part, note, changedAt, drawnAt] = [0, "", startedAt, Number.NEGATIVE_INFINITY];
  const draw = (): void => {
    const now = performance.now();
    drawnAt = now;
    // Between two reports, the time that is left goes down with the clock.
    const atChange = part === 0 ? Number.NaN : ((changedAt - startedAt) * (1 - part)) / part;
    const left = Math.max(0, atChange - (now - changedAt)) / 1000;
    const estimate = Number.isNaN(left) ? "" : `  about ${describeSeconds(left)} left`;
    const text = `${name}  ${Math.floor(part * 100)} %${estimate}${note === "" ? "" : `  ${note}`}`;
    printOver(text.slice(0, (process.stderr.columns || usualColumns) - 1));
  };
  const ticking = setInterval(draw, 1_000).unref();
  draw();
  return {
    at(reached, doing = note) {
      const now = performance.now();
      if (reached !== part) changedAt = now;
      const isOther = doing !== note;
      [part, note] = [Math.min(1, Math.max(part, reached)), doing];
      if (isOther || now - drawnAt >= drawnEveryMillis) draw();
    },
    clear: () => printOver(""),
    end() {
      clearInterval(ticking);
      printOver("");
    },
  };
}

/** `41 s`, `3 min 20 s`, `2 h 5 min` */
function describeSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
