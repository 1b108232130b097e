import { RelayError } from "./errors.js";

/**
 * The error of a used-up limit: how much was allowed, when it begins anew (Unix seconds) and in how many seconds that
 * is. The wait is at least a second, so that nobody comes back within the same one.
 */
export function rateLimitExceeded(
  message: string,
  window: { limit: number; resetAt: number; now: number },
): RelayError {
  const { limit, resetAt, now } = window;
  const extras = { limit, reset_at: resetAt, retry_after: Math.max(1, resetAt - now) };
  return new RelayError("RATE_LIMIT_EXCEEDED", message, { extras });
}
