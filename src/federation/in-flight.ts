/** Bounds what many transfers keep in memory together. */
export interface InFlight {
  /** Runs `work` once there is room for that many bytes; whoever waits longest goes first. */
  within<T>(bytes: number, work: () => Promise<T>): Promise<T>;
}

/** One transfer runs in any case, however large. */
export function createInFlight(limitBytes: number): InFlight {
  const waiting: { bytes: number; go: () => void }[] = [];
  let held = 0;

  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined && fits(next.bytes); next = waiting[0]) {
      waiting.shift();
      held += next.bytes;
      next.go();
    }
  };
  const fits = (bytes: number): boolean => held === 0 || held + bytes <= limitBytes;

  return {
    async within(bytes, work) {
      await new Promise<void>((resolve) => {
        waiting.push({ bytes, go: resolve });
        admit();
      });
      try {
        return await work();
      } finally {
        held -= bytes;
        admit();
      }
    },
  };
}
