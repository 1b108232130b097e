import { RelayError } from "./errors.js";
import { hourSeconds } from "./units.js";

const unknownWaitSeconds = hourSeconds;

/**
 * The error of a used-up limit: how much was allowed, when it resets (Unix seconds; null where that is not known)
 * and in how many seconds to ask again. The wait is at least a second, so that nobody comes back within the same one.
 */
export function rateLimitExceeded(
  message: string,
  window: { limit: number; resetAt: number | null; now: number },
): RelayError {
  const { limit, resetAt, now } = window;
  const retryAfter = resetAt === null ? unknownWaitSeconds : Math.max(1, resetAt - now);
  const extras = { limit, reset_at: resetAt, retry_after: retryAfter };
  return new RelayError("RATE_LIMIT_EXCEEDED", message, { extras });
}

/** What is left of a limit at a moment. Times are Unix seconds. */
export interface LimitState {
  /** As on the wire, in the headers `RateLimit` and `RateLimit-Policy` and in `GET /v1/limits`. */
  name: string;
  /** How much one window allows. */
  limit: number;
  remaining: number;
  windowSeconds: number;
  /** When the window ends; null while none is open, and for a limit of 0 that does not end by itself. */
  resetAt: number | null;
}

/** Is notified of the limits that a request was counted by, whether it was granted or refused. */
export interface LimitObserver {
  observeLimits(states: readonly LimitState[], now: number): void;
}
