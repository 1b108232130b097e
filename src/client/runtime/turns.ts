/** Carries out work one after another, in the order in which it came. Work that fails does not hold up the next. */
interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>;
  isSettled(): boolean;
  /** Fulfilled once no work is left, that which comes in the meantime included. */
  settled(): Promise<void>;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let left = 0;
  return {
    async take(work) {
      left += 1;
      const done = last.then(work);
      last = done
        .catch(() => undefined)
        .then(() => {
          left -= 1;
        });
      return done;
    },
    isSettled: () => left === 0,
    async settled() {
      while (left > 0) await last;
    },
  };
}
