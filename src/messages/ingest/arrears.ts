import type { Logger } from "../../platform/logger.js";

/** Corrections of counters that follow a transaction, and are made up for later where the database was not to be had. */
export interface Arrears {
  /** Does the work now, or, where that fails, again every second. Never throws. */
  settle(work: () => Promise<void>): Promise<void>;
  /** Tries a last time what is left. */
  stop(): Promise<void>;
}

const againAfterMillis = 1_000;
/** Beyond these the oldest are given up: counters stay too high until their windows end. */
const mostWaiting = 10_000;
/** A statement that can never succeed is not to hold up the others for ever. */
const mostAttempts = 60;

export function createArrears({ logger }: { logger: Logger }): Arrears {
  let waiting: { work: () => Promise<void>; attempts: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const tryAll = async (): Promise<void> => {
    const tried = waiting;
    waiting = [];
    for (const one of tried) {
      await one.work().catch((error: unknown) => {
        one.attempts += 1;
        if (one.attempts < mostAttempts) waiting.push(one);
        else logger.warn({ err: error }, "a counter could not be corrected");
      });
    }
  };
  const schedule = (): void => {
    if (timer !== undefined || stopped || waiting.length === 0) return;
    timer = setTimeout(() => {
      void tryAll().finally(() => {
        timer = undefined;
        schedule();
      });
    }, againAfterMillis);
  };

  return {
    async settle(work) {
      await work().catch(() => {
        if (waiting.length >= mostWaiting) waiting.shift();
        waiting.push({ work, attempts: 1 });
        schedule();
      });
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await tryAll();
    },
  };
}
