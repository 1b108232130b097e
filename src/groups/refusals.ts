// Which refusals of a relay pass. What was refused by one is kept, and tried again when the relay says so.

import { AnswerError, ConnectionError, type ErrorName } from "../client/index.js";

/** After these, the same thing can be accepted later. */
const passing: readonly string[] = [
  "RATE_LIMIT_EXCEEDED",
  "QUEUE_FULL",
  "OVERLOADED",
  "PEER_UNAVAILABLE",
  "DATABASE_UNAVAILABLE",
  "INTERNAL",
] satisfies ErrorName[];

export function passes(error: string): boolean {
  return passing.includes(error);
}

/** How long what can pass is kept. */
export const keptMillis = 7 * 86_400_000;

/** Whether the same request would be refused again. `alsoPassing` are statuses that pass for this request besides. */
export function isFinal(problem: unknown, alsoPassing: readonly number[] = []): problem is AnswerError {
  if (!(problem instanceof AnswerError)) return false;
  const { status } = problem;
  return status >= 400 && status < 500 && ![401, 408, 425, 429, ...alsoPassing].includes(status);
}

/** How long to wait before the next attempt: as long as the relay says, and at least `pauseMillis`. */
export function waitAfter(problem: unknown, pauseMillis: number): number {
  const isAnswered = problem instanceof AnswerError || problem instanceof ConnectionError;
  return Math.max(pauseMillis, 1000 * ((isAnswered && problem.retryAfterSeconds) || 0));
}
