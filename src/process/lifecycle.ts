/** Something that runs from its start to its stop. */
interface Startable {
  start(): Promise<unknown> | unknown;
  stop(): Promise<unknown> | unknown;
}

/** The started parts in order, so that they can be stopped in reverse. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

export function createLifecycle() {
  const finishers: (() => Promise<unknown> | unknown)[] = [];
  return {
    /** Starts a part and remembers to stop it; a part that fails to start is stopped, too. */
    async begin(part: Startable): Promise<void> {
      finishers.push(() => part.stop());
      await part.start();
    },
    /** Registers a stop function for something that is already running. */
    atEnd: (finish: () => Promise<unknown> | unknown): void => void finishers.push(finish),
    /** Stops everything, last started first, even if a part fails to stop; throws the first failure at the end. */
    async end(): Promise<void> {
      const failures: unknown[] = [];
      for (let finish = finishers.pop(); finish !== undefined; finish = finishers.pop()) {
        try {
          await finish();
        } catch (failure) {
          failures.push(failure);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
