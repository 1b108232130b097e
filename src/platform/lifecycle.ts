/** Something that runs from its start to its stop. */
interface Startable {
  start(): Promise<unknown> | unknown;
  stop(): Promise<unknown> | unknown;
}

/** The started parts in order, so that they can be stopped in reverse. */
export interface Lifecycle {
  /** Starts a part and remembers to stop it; a part that fails to start is stopped, too. */
  begin(part: Startable): Promise<void>;
  /** Registers a stop function for something that is already running. */
  atEnd(finish: () => Promise<unknown> | unknown): void;
  /** Stops everything, last started first, even if a part fails to stop; throws the first failure at the end. */
  end(): Promise<void>;
}

export function createLifecycle(): Lifecycle {
  const finishers: (() => Promise<unknown> | unknown)[] = [];
  return {
    async begin(part) {
      finishers.push(() => part.stop());
      await part.start();
    },
    atEnd: (finish) => void finishers.push(finish),
    async end() {
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
