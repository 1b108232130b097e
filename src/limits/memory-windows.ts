import type { Clock } from "../node/clock.js";
import { createLruCache } from "../platform/lru-cache.js";
import type { LimitState } from "../protocol/rate-limit.js";
import type { LimitName } from "./table.js";

/** What a window allows, and for how long. */
interface Allowed {
  limit: number;
  windowSeconds: number;
}

const remembered = 100_000;

/**
 * Windows of one limit in the memory of this node. Several nodes allow as much each, which costs less than a write for what
 * happens often.
 */
export function createMemoryWindows(name: LimitName, clock: Pick<Clock, "nowSeconds">) {
  const windows = createLruCache<string, { startedAt: number; used: number }>(remembered);

  const openWindow = (id: string, windowSeconds: number) => {
    const known = windows.get(id);
    return known !== undefined && clock.nowSeconds() < known.startedAt + windowSeconds ? known : undefined;
  };
  const read = (id: string, { limit, windowSeconds }: Allowed): LimitState => {
    const window = openWindow(id, windowSeconds);
    const remaining = Math.max(0, limit - (window?.used ?? 0));
    return { name, limit, remaining, windowSeconds, resetAt: window ? window.startedAt + windowSeconds : null };
  };
  return {
    read,
    /** Counts what is allowed of `wanted`; returns how much that is. */
    take(id: string, wanted: number, allowed: Allowed): { granted: number; state: LimitState } {
      const window = openWindow(id, allowed.windowSeconds) ?? { startedAt: clock.nowSeconds(), used: 0 };
      const granted = Math.max(0, Math.min(wanted, allowed.limit - window.used));
      window.used += granted;
      windows.set(id, window);
      return { granted, state: read(id, allowed) };
    },
  };
}
