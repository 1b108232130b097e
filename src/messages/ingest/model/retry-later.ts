import type { Logger } from "../../../platform/logger.js";

/**
 * Runs corrections of counters that follow a transaction. Corrections that fail, for instance because the database is
 * down, are repeated.
 */
export interface RetryLater {
  /** Runs the work now and, if that fails, again every second. Never throws. */
  run(work: () => Promise<void>): Promise<void>;
  /** Tries the remaining work one last time. */
  stop(): Promise<void>;
}

const retryMillis = 1_000;
/** Beyond this number the oldest are given up: their counters stay too high until their windows end. */
const maxPending = 10_000;
/** A statement that can never succeed must not hold up the others forever. */
const maxAttempts = 60;

export function createRetryLater({ logger }: { logger: Logger }): RetryLater {
  let pending: { work: () => Promise<void>; attempts: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const retryAll = async (): Promise<void> => {
    const retried = pending;
    pending = [];
    for (const one of retried) {
      await one.work().catch((error: unknown) => {
        one.attempts += 1;
        if (one.attempts < maxAttempts) pending.push(one);
        else logger.warn({ err: error }, "a counter could not be corrected");
      });
    }
  };
  const schedule = (): void => {
    if (timer !== undefined || stopped || pending.length === 0) return;
    timer = setTimeout(() => {
      void retryAll().finally(() => {
        timer = undefined;
        schedule();
      });
    }, retryMillis);
  };

  return {
    async run(work) {
      await work().catch(() => {
        if (pending.length >= maxPending) pending.shift();
        pending.push({ work, attempts: 1 });
        schedule();
      });
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await retryAll();
    },
  };
}
