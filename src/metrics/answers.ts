import type { ErrorId } from "../protocol/errors.js";
import type { Recorder } from "./recorder.js";

const tooManyRequests = 429;
const firstServerError = 500;
/** A single message that is refused is counted by the intake, like those of batches. */
const countedElsewhere = "sendMessage";

/** Counts the answer to a request. */
export function countAnswer(
  metrics: Pick<Recorder, "count" | "observe">,
  answered: { operation: string | null; status: number; error: ErrorId | null; milliseconds: number },
): void {
  const { operation, status, error } = answered;
  metrics.count("requests");
  metrics.observe("request_duration", answered.milliseconds);
  if (status >= firstServerError) metrics.count("requests_failed");
  if (status === tooManyRequests && operation !== countedElsewhere) metrics.count("requests_rate_limited");
  if (error === "OVERLOADED") metrics.count("requests_overloaded");
}
