/** Wakes one waiting loop. A call while it does not wait is remembered. */
export interface WakeUp {
  /** There may be new messages. */
  messages(): void;
  /** Something else has happened. */
  wake(): void;
  /** Whether there may be new messages since this was last asked. */
  takeMessages(): boolean;
  /** Resolves after a call of `wake` or `messages`, or after so many milliseconds. */
  wait(millis?: number): Promise<void>;
}

export function createWakeUp(): WakeUp {
  let hasMessages = false;
  let called = false;
  let resume: (() => void) | undefined;
  const wake = (): void => {
    called = true;
    resume?.();
  };
  return {
    wake,
    messages() {
      hasMessages = true;
      wake();
    },
    takeMessages() {
      const had = hasMessages;
      hasMessages = false;
      return had;
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
