/** Wakes those of this node who wait for something by name. */
export interface WakeUpSignals {
  /** Begins to listen: what rings from now on is heard by the next `heard`. */
  hang(name: string): WakeUpSignal;
  ring(name: string): void;
  ringAll(): void;
  /** Bells that hang. */
  count(): number;
}

export interface WakeUpSignal {
  /** Done when the bell has rung since the last time, or the time is over. */
  heard(millis: number): Promise<void>;
  ring(): void;
  /** Ends the listening; to be called once. */
  takeDown(): void;
}

export function createWakeUpSignals(): WakeUpSignals {
  const hanging = new Map<string, Set<WakeUpSignal>>();
  let count = 0;

  return {
    hang(name) {
      const signal = createBell(() => {
        count -= 1;
        const others = hanging.get(name);
        others?.delete(signal);
        if (others?.size === 0) hanging.delete(name);
      });
      count += 1;
      hanging.set(name, (hanging.get(name) ?? new Set()).add(signal));
      return signal;
    },
    ring(name) {
      for (const signal of hanging.get(name) ?? []) signal.ring();
    },
    ringAll() {
      for (const wakeUpSignals of hanging.values()) for (const signal of wakeUpSignals) signal.ring();
    },
    count: () => count,
  };
}

function createBell(takeDown: () => void): WakeUpSignal {
  let hasRung = false;
  let wake = (): void => undefined;

  return {
    async heard(millis) {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, millis);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasRung = false;
    },
    ring() {
      hasRung = true;
      wake();
    },
    takeDown,
  };
}
