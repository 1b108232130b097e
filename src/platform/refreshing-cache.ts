import { performance } from "node:perf_hooks";
import { createPeriodic } from "./cluster/periodic.js";
import type { Logger } from "./logger.js";

/** Keeps a copy of database state that is never older than a bound. */
export interface RefreshingCache {
  /** Reads the copy for the first time and begins to refresh it. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves at once while the copy is fresh; otherwise reads it. Throws if the read fails. */
  ensure(): Promise<void> | undefined;
  /** Reads the copy now; concurrent callers share one read that began after their call. */
  refresh(): Promise<void>;
}

const oldestMillis = 1000;

/**
 * A timer reads the copy every `everyMillis`. If that fails or is late, `ensure` notices the age and reads the copy itself,
 * so no decision is based on a copy older than one second: either it is fresh or the decision fails.
 */
export function createRefreshingCache(deps: {
  name: string;
  everyMillis: number;
  read: () => Promise<void>;
  logger: Logger;
}): RefreshingCache {
  let readAt = Number.NEGATIVE_INFINITY;
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failing = false;

  const read = async (): Promise<void> => {
    const startedAt = performance.now();
    await deps.read();
    readAt = startedAt;
  };
  const refresh = (): Promise<void> => {
    if (current === undefined) {
      current = read().finally(() => {
        current = undefined;
      });
      return current;
    }
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined;
        return refresh();
      });
    return next;
  };
  const periodic = createPeriodic({
    everyMillis: deps.everyMillis,
    async run() {
      if (current !== undefined) return;
      await refresh();
      failing = false;
    },
    failed(error) {
      if (!failing) deps.logger.warn({ err: error, copy: deps.name }, "a copy of the database could not be refreshed");
      failing = true;
    },
  });

  return {
    refresh,
    ensure: () => (performance.now() - readAt <= oldestMillis ? undefined : (current ?? refresh())),
    async start() {
      await refresh();
      periodic.start();
    },
    async stop() {
      await periodic.stop();
      await Promise.allSettled([current, next]);
    },
  };
}
