// Which refusals of a relay pass. What was refused by one is kept, and tried again when the relay says so.

import { AnswerError, ConnectionError, type ErrorName, NotLoadedError } from "../../client/index.js";
import type { DeviceCore } from "./device-core.js";

const pauseMillis = 60_000;
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

/** Whether the same request would be refused again. A device that the relay does not admit (403) may be admitted again. */
export function isFinal(problem: unknown): problem is AnswerError {
  if (!(problem instanceof AnswerError)) return false;
  const { status } = problem;
  return status >= 400 && status < 500 && ![401, 403, 408, 425, 429].includes(status);
}

/** Reports a problem and, if it passes, calls again when the relay says. After a lost connection, the next connection does that. */
export function retryLater({ closing, problem, sleep }: DeviceCore, what: unknown, again: () => void): void {
  if (closing.aborted) return;
  problem(what);
  if (what instanceof NotLoadedError || (what instanceof AnswerError && !isFinal(what)))
    callLater(sleep, waitAfter(what, pauseMillis), again);
}

const waiting = new WeakSet<() => void>();

/** Calls a function once after a wait, however often that is asked for meanwhile: otherwise every failure or connection would add a wait that never ends. */
export function callLater(sleep: DeviceCore["sleep"], millis: number, again: () => void): void {
  if (waiting.has(again)) return;
  waiting.add(again);
  const end = () => waiting.delete(again) && again();
  sleep(millis).then(end, () => undefined);
}

/** Nothing can ask a device to stay away for days. A proxy does not know when the relay is back. */
const longestWaitSeconds = { relay: 3_600, proxy: 300 };

/** How long to wait before the next attempt: as long as the relay says, within what is sensible, and at least `pauseMillis`. */
export function waitAfter(problem: unknown, pauseMillis: number): number {
  const isRelay = problem instanceof AnswerError;
  const seconds = isRelay || problem instanceof ConnectionError ? (problem.retryAfterSeconds ?? 0) : 0;
  return Math.max(pauseMillis, 1000 * Math.min(seconds, longestWaitSeconds[isRelay ? "relay" : "proxy"]));
}
