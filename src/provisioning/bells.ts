/** Wakes those of this node who wait for something by name. */
export interface Bells {
  /** Begins to listen: what rings from now on is heard by the next `heard`. */
  hang(name: string): Bell;
  ring(name: string): void;
  ringAll(): void;
  /** Bells that hang. */
  count(): number;
}

export interface Bell {
  /** Done when the bell has rung since the last time, or the time is over. */
  heard(millis: number): Promise<void>;
  ring(): void;
  /** Ends the listening; to be called once. */
  takeDown(): void;
}

export function createBells(): Bells {
  const hanging = new Map<string, Set<Bell>>();
  let count = 0;

  return {
    hang(name) {
      const bell = createBell(() => {
        count -= 1;
        const others = hanging.get(name);
        others?.delete(bell);
        if (others?.size === 0) hanging.delete(name);
      });
      count += 1;
      hanging.set(name, (hanging.get(name) ?? new Set()).add(bell));
      return bell;
    },
    ring(name) {
      for (const bell of hanging.get(name) ?? []) bell.ring();
    },
    ringAll() {
      for (const bells of hanging.values()) for (const bell of bells) bell.ring();
    },
    count: () => count,
  };
}

function createBell(takeDown: () => void): Bell {
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
