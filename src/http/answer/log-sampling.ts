import type { Logger } from "../../platform/logger.js";

const minuteSeconds = 60;
const linesPerMinute = 20;

/** Keeps requests that anybody can have refused, or that fail while the database is away, from filling the log. */
export interface LogSampling {
  /** Whether the line of one more request of a kind is written. Kinds are operations with their errors. */
  admits(kind: string): boolean;
}

interface SamplingDeps {
  logger: Logger;
  clock: { nowSeconds(): number };
  /** What the line with the counts says. */
  omittedMessage: string;
}

/**
 * Lets 20 lines of each kind a minute through and counts the others; the first line after that minute is preceded by one with the
 * counts. At level debug, where somebody looks for one request, all lines are written.
 */
export function createLogSampling({ logger, clock, omittedMessage }: SamplingDeps): LogSampling {
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
    admits(kind) {
      if (logger.isLevelEnabled("debug")) return true;
      const now = Math.floor(clock.nowSeconds() / minuteSeconds);
      if (now !== minute) begin(now);
      const count = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, count);
      return count <= linesPerMinute;
    },
  };
}
