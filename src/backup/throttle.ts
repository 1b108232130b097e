import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** Lets so many bytes a second pass; null lets them pass as fast as they come. */
export interface Throttle {
  /** Resolves when the next bytes may be read, once these have been. */
  passed(bytes: number): Promise<void>;
}

const shortestPauseMillis = 5;

export function createThrottle(bytesPerSecond: number | null, signal?: AbortSignal): Throttle {
  const startedAt = performance.now();
  let total = 0;
  return {
    async passed(bytes) {
      signal?.throwIfAborted();
      if (bytesPerSecond === null) return;
      total += bytes;
      const aheadMillis = (total / bytesPerSecond) * 1000 - (performance.now() - startedAt);
      if (aheadMillis >= shortestPauseMillis)
        await sleep(aheadMillis, undefined, signal === undefined ? {} : { signal });
    },
  };
}
