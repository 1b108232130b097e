/**
 * Work that each node repeats outside the schedule: flushes, polls, checks of its state. At most one run is in
 * progress; a period that ends during a run is skipped. A failure is handed to `failed`.
 */
export function createPeriodic(options: {
  everyMillis: number;
  run: () => Promise<unknown>;
  failed: (error: unknown) => void;
}) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const attempt = async (): Promise<void> => {
    try {
      await options.run();
    } catch (error) {
      options.failed(error);
    }
  };
  const run = (): Promise<void> => {
    running ??= attempt().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    /** Runs the work now, or joins the run in progress. Never rejects. */
    run,
    /** Like `run`, but the run that it waits for begins after this call. */
    async runNext(): Promise<void> {
      await running;
      await run();
    },
    /** Waits for the run in progress, if there is one. */
    async settled(): Promise<void> {
      await running;
    },
    /** Runs the work every `everyMillis`, for the first time after one period. */
    start(): void {
      timer = setInterval(() => void run(), options.everyMillis);
    },
    /** Stops the timer and waits for the run in progress. `run` may still be called, for instance for a last flush. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await running;
    },
  };
}
