import { RelayError } from "./errors.js";
import { daySeconds, hourSeconds } from "./units.js";

const usualWaitSeconds = hourSeconds;
const longestWaitSeconds = 30 * daySeconds;

/** A limit that is used up. `resetAt` is in Unix seconds, null if it is not known. */
interface UsedUp {
  limit: number;
  resetAt: number | null;
  now: number;
  /** The wait if the reset is not known. */
  unknownWaitSeconds?: number;
}

/** The error of a used-up limit: how much was allowed, when it resets, and in how many seconds to ask again. */
export function rateLimitExceeded(message: string, window: UsedUp): RelayError {
  return new RelayError("RATE_LIMIT_EXCEEDED", message, { extras: usedUpExtras(window) });
}

/** The members of an error about a used-up limit. */
export function usedUpExtras(window: UsedUp): { limit: number; reset_at: number | null; retry_after: number } {
  const { limit, resetAt, now, unknownWaitSeconds = usualWaitSeconds } = window;
  const wait = resetAt === null ? unknownWaitSeconds : secondsUntil(resetAt, now);
  return { limit, reset_at: resetAt, retry_after: Math.min(wait, longestWaitSeconds) };
}

/** At least a second, so that nobody comes back within the same one. */
export function secondsUntil(resetAt: number, now: number): number {
  return Math.max(1, resetAt - now);
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
