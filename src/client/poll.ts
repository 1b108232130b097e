import { hourSeconds } from "../protocol/units.js";
import { childOf } from "./abort.js";
import { AnswerError } from "./failures.js";
import { isRefusal, type Receiver, type ReceivingEnd, renewAddressesWhenDue } from "./receiver.js";

const usualPage = 100;
const largestPage = 1_000;
const askAgainSeconds = hourSeconds;

/** How a poll went: the queue is empty, the relay did not answer, or receiving has ended. */
export type PollOutcome =
  | { kind: "emptied" }
  | { kind: "failed"; retryAfterSeconds: number | undefined }
  | { kind: "ended"; end: ReceivingEnd };

/** Polls until the queue is empty. The next poll is due when the relay asked for it, or at once if this poll failed. */
export async function poll(receiver: Receiver): Promise<PollOutcome> {
  const { connection, wakes } = receiver;
  const polling = childOf(receiver.signal);
  try {
    await wakes.attempt(pollUntilEmpty(receiver, polling.signal), () => polling.abort());
    await renewAddressesWhenDue(receiver);
    await askForKeyPackages(receiver);
    receiver.polledAtMillis = connection.runtime.nowMillis();
    return { kind: "emptied" };
  } catch (problem) {
    if (polling.signal.aborted) return { kind: "failed", retryAfterSeconds: undefined };
    receiver.problem(problem);
    if (isRefusal(problem)) return { kind: "ended", end: { reason: "refused", cause: problem } };
    const retryAfterSeconds = problem instanceof AnswerError ? problem.retryAfterSeconds : undefined;
    return { kind: "failed", retryAfterSeconds };
  } finally {
    polling.abort();
  }
}

/** Unhandled messages come again with each page, so the page is enlarged by their number. */
async function pollUntilEmpty(receiver: Receiver, signal: AbortSignal): Promise<void> {
  const { caller, inbox, acknowledger } = receiver;
  for (let hasNew = true; hasNew && !signal.aborted; ) {
    const limit = Math.min(largestPage, usualPage + inbox.waiting());
    // No retries: the receiver decides when to try again, and prefers the stream.
    const page = await caller.call("pollMessages", { query: { limit }, signal, retries: { attempts: 1 } });
    const fresh = page.messages.filter((message) => inbox.offer(message));
    await inbox.settled();
    await acknowledger.flush();
    hasNew = page.has_more && fresh.length > 0;
    if (receiver.options.transport === "poll") receiver.pollSeconds = page.next_poll_interval;
  }
}

/** A stream reports how many key packages remain. Without one, this asks the relay from time to time. */
async function askForKeyPackages(receiver: Receiver): Promise<void> {
  const { connection, caller, options, signal } = receiver;
  const now = connection.clock.nowSeconds();
  if (options.onKeyPackagesRemaining === undefined || now < receiver.keyPackagesAskedAt + askAgainSeconds) return;
  receiver.keyPackagesAskedAt = now;
  options.onKeyPackagesRemaining((await caller.call("getKeyPackageStatus", { signal })).available_count);
}
