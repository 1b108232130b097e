import type { Logger } from "../../platform/logger.js";

const minuteSeconds = 60;
const linesPerMinute = 20;

/**
 * Prevents requests that anyone can cause to be refused, or that fail while the database is down, from filling the log.
 */
export type LogSampling = ReturnType<typeof createLogSampling>;

interface SamplingDeps {
  logger: Logger;
  clock: { nowSeconds(): number };
  /** The text of the line with the counts. */
  omittedMessage: string;
}

/**
 * Lets 20 lines of each kind through per minute and counts the others; a line with the counts precedes the first line
 * after that minute. At level debug all lines are written, because somebody may be looking for one request.
 */
export function createLogSampling({ logger, clock, omittedMessage }: SamplingDeps) {
  let seen = new Map<string, number>();
  let minute = 0;

  const begin = (next: number): void => {
    const omitted = [...seen].filter(([, count]) => count > linesPerMinute);
    if (omitted.length > 0) {
      const counts = Object.fromEntries(omitted.map(([kind, count]) => [kind, count - linesPerMinute]));
      logger.info({ omitted: counts }, omittedMessage);
    }
    seen = new Map();
    minute = next;
  };

  return {
    /** Whether the line of one more request of a kind is written. Kinds are operations with their errors. */
    admits(kind: string): boolean {
      if (logger.isLevelEnabled("debug")) return true;
      const now = Math.floor(clock.nowSeconds() / minuteSeconds);
      if (now !== minute) begin(now);
      const count = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, count);
      return count <= linesPerMinute;
    },
  };
}
