import { calls } from "../../../generated/calls.js";
import type { operations } from "../../../generated/openapi-types.js";
import { doublingWait } from "../../protocol/doubling-wait.js";
import { atLeast, demandMillis, demandNumber, demandOptions, demandSeconds, ifGiven } from "../runtime/arguments.js";
import type { Runtime } from "../runtime/runtime.js";
import { AnswerError, ConnectionError, isAnswer, requestedSeconds } from "./failures.js";

type OperationId = keyof operations;

/** How failed calls are repeated. */
export interface RetryPolicy {
  /** Maximum number of calls, including the first one. */
  attempts: number;
  /** The wait is random between 0 and this, which doubles with each attempt. */
  baseMillis: number;
  /** Upper limit of the doubling. */
  capMillis: number;
  /** A call with a longer Retry-After is not retried. */
  longestWaitSeconds: number;
}

export const defaultRetries: RetryPolicy = { attempts: 4, baseMillis: 500, capMillis: 8_000, longestWaitSeconds: 60 };

export function demandRetries(retries: Partial<RetryPolicy>): void {
  demandOptions(retries, "retries");
  ifGiven(retries.attempts, (attempts) => demandNumber(attempts, "retries.attempts", atLeast(1)));
  ifGiven(retries.baseMillis, (millis) => demandMillis(millis, "retries.baseMillis"));
  ifGiven(retries.capMillis, (millis) => demandMillis(millis, "retries.capMillis"));
  ifGiven(retries.longestWaitSeconds, (seconds) => demandSeconds(seconds, "retries.longestWaitSeconds"));
}

/**
 * Operations that are idempotent although they are not GET, PUT or DELETE: they are repeated if the answer was lost.
 */
const repeatable: readonly OperationId[] = [
  "sendMessage",
  "sendMessageBatch",
  "sendMessageToMany",
  "acknowledgeMessages",
  "createRegistrationChallenge",
  "refreshDeviceToken",
  "uploadKeyPackages",
  "claimKeyPackages",
  "readSlots",
  // A blob whose creation was not answered ends by itself.
  "createBlob",
  "completeBlob",
];

/** This operation succeeds only once although its method is idempotent: a repeated call would seem to have failed. */
const notRepeatable: readonly OperationId[] = ["putProvisioningBlob"];

/**
 * Calls until the call succeeds, fails permanently, or the attempts are used up; then throws the last failure. The wait has
 * full jitter (random from zero up to the backoff) and is added to Retry-After.
 */
export async function withRetries<T>(
  operation: OperationId,
  attempt: () => Promise<T>,
  { policy, runtime, signal }: { policy: RetryPolicy; runtime: Runtime; signal?: AbortSignal },
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (failure) {
      if (tried >= policy.attempts || signal?.aborted || !isTransient(operation, failure)) throw failure;
      const seconds = requestedSeconds(failure) ?? 0;
      if (seconds > policy.longestWaitSeconds) throw failure;
      await runtime.sleep(seconds * 1000 + fullJitter(tried, policy, runtime), signal);
    }
  }
}

export function fullJitter(tried: number, { baseMillis, capMillis }: RetryPolicy, { fraction }: Runtime): number {
  return fraction() * doublingWait(tried, { first: baseMillis, longest: capMillis });
}

/** A relay that is overloaded, or has not read the whole request, did nothing, so any call is retried. If the effect is unknown, only a repeatable call is. */
function isTransient(operation: OperationId, failure: unknown): boolean {
  if (failure instanceof ConnectionError) return isRepeatable(operation);
  if (!(failure instanceof AnswerError) || ![408, 429, 502, 503, 504].includes(failure.status)) return false;
  if (isAnswer(failure, "OVERLOADED") || isAnswer(failure, "REQUEST_TIMEOUT")) return true;
  if (isAnswer(failure, "RATE_LIMIT_EXCEEDED")) return failure.retryAfterSeconds !== undefined;
  const isUndecided = isAnswer(failure, "DATABASE_UNAVAILABLE") || isAnswer(failure, "PEER_UNAVAILABLE");
  return isUndecided && isRepeatable(operation);
}

function isRepeatable(operation: OperationId): boolean {
  if (notRepeatable.includes(operation)) return false;
  const { method } = calls[operation];
  return method !== "post" || repeatable.includes(operation);
}
