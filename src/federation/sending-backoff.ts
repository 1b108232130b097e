import type { Random } from "../platform/random.js";

const millis = 1000;
const mostDoublings = 40;

/**
 * How long to wait after so many failures in a row: a random part of a time that doubles with each up to the longest
 * (full jitter), but never less than the peer asked for, up to the same bound. Milliseconds.
 */
export function backoffMillis(
  failures: number,
  asked: { retryAfterSeconds?: number | null },
  needs: { random: Pick<Random, "fraction">; limits: BackoffLimits },
): number {
  const { outboxMinBackoffSeconds: least, outboxMaxBackoffSeconds: most } = needs.limits;
  const longest = Math.min(most, least * 2 ** Math.min(Math.max(0, failures - 1), mostDoublings));
  const wait = Math.ceil(needs.random.fraction() * longest * millis);
  const floor = Math.min(most, asked.retryAfterSeconds ?? 0) * millis;
  return Math.max(wait, floor);
}

export interface BackoffLimits {
  outboxMinBackoffSeconds: number;
  outboxMaxBackoffSeconds: number;
}
