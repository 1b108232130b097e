import type { OperationId } from "../../generated/handlers.js";
import { routes } from "../../generated/routes.js";
import { errorCatalogue } from "../protocol/errors.js";
import { AnswerError, ConnectionError } from "./failures.js";
import type { Runtime } from "./runtime.js";

/** How failed calls are repeated. */
export interface RetryPolicy {
  /** Most calls in all, the first one included. */
  attempts: number;
  /** The wait is drawn between 0 and this, doubled with each attempt. */
  baseMillis: number;
  /** Most that doubling comes to. */
  capMillis: number;
  /** A Retry-After above this is left to the caller. */
  longestWaitSeconds: number;
}

export const usualRetries: RetryPolicy = { attempts: 4, baseMillis: 500, capMillis: 8_000, longestWaitSeconds: 60 };

/** Besides GET, PUT and DELETE: what does no more when it is done twice, so that a lost answer may be asked for again. */
const repeatable: readonly OperationId[] = [
  "sendMessage",
  "sendMessageBatch",
  "acknowledgeMessages",
  "createRegistrationChallenge",
  "refreshDeviceToken",
  "uploadKeyPackages",
];

/** What succeeds only once, though its method promises otherwise: repeated, it would seem to have failed. */
const notRepeatable: readonly OperationId[] = ["putProvisioningBlob"];

/**
 * Calls until it succeeds, fails for good, or the attempts are used up; throws the last failure. The wait has full jitter
 * (drawn from zero up to the backoff), and comes on top of what Retry-After asks for.
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
      const asked = failure instanceof AnswerError ? (failure.retryAfterSeconds ?? 0) : 0;
      if (asked > policy.longestWaitSeconds) throw failure;
      await runtime.sleep(asked * 1000 + fullJitter(tried, policy, runtime), signal);
    }
  }
}

function fullJitter(tried: number, { baseMillis, capMillis }: RetryPolicy, { fraction }: Runtime): number {
  return fraction() * Math.min(capMillis, baseMillis * 2 ** (tried - 1));
}

/** A refusal for want of room did nothing, and is repeated; where it is unknown what was done, only what does no harm. */
function isTransient(operation: OperationId, failure: unknown): boolean {
  if (failure instanceof ConnectionError) return isRepeatable(operation);
  if (!(failure instanceof AnswerError) || ![429, 502, 503, 504].includes(failure.status)) return false;
  const { RATE_LIMIT_EXCEEDED, OVERLOADED, DATABASE_UNAVAILABLE } = errorCatalogue;
  if (failure.code === OVERLOADED.code) return true;
  if (failure.code === RATE_LIMIT_EXCEEDED.code) return failure.retryAfterSeconds !== undefined;
  return (failure.code === 0 || failure.code === DATABASE_UNAVAILABLE.code) && isRepeatable(operation);
}

function isRepeatable(operation: OperationId): boolean {
  if (notRepeatable.includes(operation)) return false;
  return routes[operation].method !== "post" || repeatable.includes(operation);
}
