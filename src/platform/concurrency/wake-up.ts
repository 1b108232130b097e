/** Node.js fires a longer timer after a millisecond. */
const longestTimerMillis = 2 ** 31 - 1;

/** Wakes one waiting loop. A call while it does not wait is remembered. */
export function createWakeUp() {
  let called = false;
  let resume: (() => void) | undefined;
  return {
    wake(): void {
      called = true;
      resume?.();
    },
    /** Resolves after a call of `wake` since the last wait, or after `millis` milliseconds (at most as long as a timer can wait). */
    async wait(millis?: number): Promise<void> {
      if (!called) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          resume = resolve;
          if (millis !== undefined) timer = setTimeout(resolve, Math.min(millis, longestTimerMillis));
        });
        clearTimeout(timer);
        resume = undefined;
      }
      called = false;
    },
  };
}
