import { doublingWait } from "../../protocol/doubling-wait.js";
import type { Runtime } from "../runtime/runtime.js";

/**
 * The waits between failed attempts: up to 1, 2 and 3 seconds, then 3 again and again. After a minute they grow with
 * the outage, up to half a minute. All of them have jitter, so that the clients of a relay do not return together.
 */
export interface Backoff {
  /** Failed attempts in a row. */
  readonly failures: number;
  failed(): void;
  /** An attempt has succeeded. */
  reset(): void;
  /**
   * Starts with short waits again although the attempts have failed, because there is a sign that the next one may
   * succeed.
   */
  shorten(): void;
  /** How long to wait before the next attempt. */
  waitMillis(): number;
}

const firstMillis = 1_000;
const usualMillis = 3_000;
const longestMillis = 30_000;
/** A wait is at most this fraction of the outage, so a client returns after a small fraction of what it has missed. */
const shareOfOutage = 1 / 20;

export function createBackoff({ nowMillis, fraction }: Pick<Runtime, "nowMillis" | "fraction">): Backoff {
  let failures = 0;
  let failingSince = 0;
  return {
    get failures() {
      return failures;
    },
    failed() {
      if (failures === 0) failingSince = nowMillis();
      failures++;
    },
    reset() {
      failures = 0;
    },
    shorten() {
      failingSince = nowMillis();
    },
    waitMillis() {
      // The first attempt follows soon but not at once, because all clients of a relay lose their streams together.
      if (failures === 0) return firstMillis * fraction();
      const max = Math.min(longestMillis, Math.max(usualMillis, shareOfOutage * (nowMillis() - failingSince)));
      return doublingWait(failures, { first: firstMillis, longest: max }) * (0.5 + 0.5 * fraction());
    },
  };
}
