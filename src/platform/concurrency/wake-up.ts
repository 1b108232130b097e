/** Wakes one waiting loop. A call while it does not wait is remembered. */
interface WakeUp {
  wake(): void;
  /** Resolves after a call of `wake` since the last wait, or after so many milliseconds. */
  wait(millis?: number): Promise<void>;
}

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
          if (millis !== undefined) timer = setTimeout(resolve, millis);
        });
        clearTimeout(timer);
        resume = undefined;
      }
      called = false;
    },
  };
}
