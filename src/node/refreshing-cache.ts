import { performance } from "node:perf_hooks";
import type { Logger } from "../platform/logger.js";
import type { PolledValue, SharedPoll } from "./shared-poll.js";

const oldestMillis = 1000;

/**
 * Keeps a copy of database state that is never older than a bound. The copy is read if the poll that the node's caches
 * share finds that its version has changed since the last read began. If the poll fails or is late, `ensure` asks for
 * the version, or reads the copy, itself. So no decision is based on a copy older than one second: either the copy is
 * fresh or the decision fails.
 */
export function createRefreshingCache(deps: {
  name: string;
  /** Changes with every change of the copied state. */
  version: Pick<PolledValue, "sql" | "bindings">;
  /**
   * Reads the copy. If an earlier version can return, it reports the version that it has read: otherwise the copy would
   * keep a change that was undone before the poll saw it.
   */
  read: (isOfVersion: (own: string | null) => void) => Promise<void>;
  /** Called when the database has failed over, before the next read: earlier versions may come again, with other content. */
  forget?(): void;
  poll: Pick<SharedPoll, "follow" | "ask" | "onFailover">;
  logger: Logger;
}) {
  let version: string | null | undefined;
  let passesVersion = false;
  /** The copy holds what the database held at this time. */
  let freshAt = Number.NEGATIVE_INFINITY;
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failing = false;
  let unfollow = (): void => {};

  const read = async (): Promise<void> => {
    const startedAt = performance.now();
    await deps.read((own) => {
      version = own;
      passesVersion = true;
    });
    freshAt = Math.max(freshAt, startedAt);
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
  const readVersion = async (moved: string | null): Promise<void> => {
    try {
      await refresh();
      if (!passesVersion) version = moved;
      failing = false;
    } catch (error) {
      if (!failing) deps.logger.warn({ err: error, copy: deps.name }, "a copy of the database could not be refreshed");
      failing = true;
    }
  };
  const seen = (value: string | null, askedAt: number): void => {
    if (value === version) freshAt = Math.max(freshAt, askedAt);
    else void readVersion(value);
  };
  const bringUpToDate = async (wantedAt: number): Promise<void> => {
    await deps.poll.ask().catch(() => {});
    if (freshAt < wantedAt) await (current ?? refresh());
  };

  return {
    /** Reads the copy now; concurrent callers share a read that begins after their call. */
    refresh,
    /** Resolves at once while the copy is fresh; otherwise asks whether it has changed. Throws if that fails. */
    ensure(): Promise<void> | undefined {
      const wantedAt = performance.now() - oldestMillis;
      return freshAt >= wantedAt ? undefined : bringUpToDate(wantedAt);
    },
    /** Reads the copy for the first time and begins to follow its version. */
    async start(): Promise<void> {
      await refresh();
      unfollow = deps.poll.follow({ ...deps.version, seen });
      deps.poll.onFailover(() => {
        version = undefined;
        deps.forget?.();
      });
    },
    async stop(): Promise<void> {
      unfollow();
      await Promise.allSettled([current, next]);
    },
  };
}
