import { hourSeconds } from "../../protocol/units.js";
import { AnswerError, requestedSeconds } from "../connection/failures.js";
import { childOf } from "../runtime/abort.js";
import { readQueue } from "./queue-reader.js";
import { isRefusal, type Receiver, type ReceivingEnd, renewAddressesWhenDue, sensibleSeconds } from "./receiving.js";

const askAgainSeconds = hourSeconds;

/** How a poll went: the queue is empty, the relay did not answer, or receiving has ended. */
export type PollOutcome =
  | { kind: "emptied" }
  | { kind: "failed"; retryAfterSeconds: number | undefined; isRelays: boolean }
  | { kind: "ended"; end: ReceivingEnd };

/**
 * Polls until the queue is empty. The next poll is due when the relay asked for it, or at once if this poll failed. A patient one is not
 * abandoned because the relay can be reached again.
 */
export async function poll(receiver: Receiver, { isPatient = false } = {}): Promise<PollOutcome> {
  const { connection, wakes } = receiver;
  const polling = childOf(receiver.signal);
  try {
    // No retries: the receiver decides when to try again, and prefers the stream.
    const options = { signal: polling.signal, retries: { attempts: 1 } };
    const reading = readQueue(receiver, receiver.handler, { until: polling.signal, options });
    const { nextPollSeconds } = await wakes.attempt(reading, () => isPatient || polling.abort());
    if (receiver.options.transport === "poll") receiver.pollSeconds = sensibleSeconds(nextPollSeconds);
    await renewAddressesWhenDue(receiver);
    await askForKeyPackages(receiver);
    receiver.polledAtMillis = connection.runtime.nowMillis();
    return { kind: "emptied" };
  } catch (problem) {
    if (polling.signal.aborted) return { kind: "failed", retryAfterSeconds: undefined, isRelays: false };
    receiver.problem(problem);
    if (isRefusal(problem)) return { kind: "ended", end: { reason: "refused", cause: problem } };
    const isRelays = problem instanceof AnswerError;
    return { kind: "failed", retryAfterSeconds: requestedSeconds(problem), isRelays };
  } finally {
    polling.abort();
  }
}

/** A stream reports how many key packages remain. Without one, this asks the relay from time to time. */
async function askForKeyPackages(receiver: Receiver): Promise<void> {
  const { connection, caller, options, signal } = receiver;
  const now = connection.clock.nowSeconds();
  if (options.onKeyPackagesRemaining === undefined || now < receiver.keyPackagesAskedAt + askAgainSeconds) return;
  receiver.keyPackagesAskedAt = now;
  receiver.tellKeyPackages((await caller.call("getKeyPackageStatus", { signal })).available_count);
}
