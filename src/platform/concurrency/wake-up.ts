/** Wakes one waiting loop. A call while it does not wait is remembered. */
interface WakeUp {
  wake(): void;
  /** Resolves after a call of `wake` since the last wait, or after so many milliseconds, or as many as a timer holds. */
  wait(millis?: number): Promise<void>;
}

/** Node.js fires a longer timer after a millisecond. */
const longestTimerMillis = 2 ** 31 - 1;

export function createWakeUp(): WakeUp {
  let called = false;
  let resume: (() => void) | undefined;
  return {
    wake() {
      called = true;
      resume?.();
    },
    async wait(millis) {
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
