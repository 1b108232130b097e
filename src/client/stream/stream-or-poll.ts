// Receives messages until it is stopped, normally over the stream. A broken stream is opened again after a short,
// growing wait (backoff.ts). After five failed attempts in a row the queue is also polled, as often as the relay asked,
// or with each attempt while the relay does not answer. Attempts to open the stream continue. Any sign that the relay
// can be reached ends the wait: a call is answered, the network or the page comes back, or the application says so. A
// stream that was replaced by another stream of the same device is not opened again, because two clients would replace
// each other forever.

import { closeCodes } from "../../../generated/frames.js";
import { callBack } from "../runtime/callbacks.js";
import { type PollOutcome, poll } from "./poll.js";
import {
  createReceiver,
  isRefusal,
  type Receiver,
  type Receiving,
  type ReceivingDeps,
  type ReceivingEnd,
  type ReceivingOptions,
  sensibleSeconds,
} from "./receiving.js";
import { type StreamOutcome, streamOnce } from "./stream.js";
import type { WakeCause } from "./wakes.js";

const attemptsBeforePolling = 5;
const silentStreamsBeforePolling = 2;
const stableAfterMillis = 10_000;
const stopMillis = 5_000;

/** Starts at once. */
export function startReceiving(deps: ReceivingDeps, options: ReceivingOptions): Receiving {
  const stopping = new AbortController();
  const receiver = createReceiver(deps, options, stopping.signal);
  const wake = (cause: WakeCause) => {
    receiver.backoff.shorten();
    receiver.wakes.wake(cause);
  };
  const reconnectNow = () => wake("asked");
  deps.connection.reachability.onReturn(() => wake("answered"), stopping.signal);
  const { runtime } = deps.connection;
  callBack((...given) => runtime.onResume(...given), [reconnectNow, stopping.signal] as const, receiver.problem);
  deps.queue.began();
  deps.inbox.join(receiver.handler);
  const ended = run(receiver, stopping).finally(() => deps.queue.ended());
  return {
    ended,
    reconnectNow,
    async stop() {
      stopping.abort();
      const over = new AbortController();
      const patience = deps.connection.runtime.sleep(stopMillis, over.signal).catch(() => undefined);
      await Promise.race([ended, patience]);
      over.abort();
    },
  };
}

async function run(receiver: Receiver, stopping: AbortController): Promise<ReceivingEnd> {
  const { signal, options, inbox, acknowledger } = receiver;
  const round = options.transport === "poll" ? pollRound : streamRound;
  let end: ReceivingEnd | undefined;
  while (end === undefined && !signal.aborted) end = await round(receiver);
  stopping.abort();
  await inbox.released(receiver.handler);
  if (end?.reason !== "refused") await acknowledger.flush().catch(receiver.problem);
  return end ?? { reason: "stopped" };
}

/** Polls and waits until the next poll. */
async function pollRound(receiver: Receiver): Promise<ReceivingEnd | undefined> {
  const { backoff, wakes } = receiver;
  const polled = await poll(receiver);
  if (polled.kind === "ended") return polled.end;
  if (polled.kind === "emptied") backoff.reset();
  else backoff.failed();
  const failedMillis = Math.max(backoff.waitMillis(), millisOf(retryAfterOf(polled)));
  const afterMillis = polled.kind === "emptied" ? 1000 * receiver.pollSeconds : failedMillis;
  if (!receiver.signal.aborted) receiver.tell({ state: "polling", afterMillis });
  if (!receiver.signal.aborted) await wakes.wait(afterMillis, { isRequested: isRequestedByRelay(polled) });
  return undefined;
}

/** Keeps a stream open until it ends, polls if streams keep failing, and waits until the next attempt. */
async function streamRound(receiver: Receiver): Promise<ReceivingEnd | undefined> {
  const { backoff, signal } = receiver;
  const { runtime, reachability } = receiver.connection;
  const begun = runtime.nowMillis();
  const outcome = await streamOnce(receiver);
  if (outcome.wasOpen && runtime.nowMillis() - begun >= stableAfterMillis) backoff.reset();
  else backoff.failed();
  if (outcome.wasOpen) receiver.silentStreams = outcome.wasSilent ? receiver.silentStreams + 1 : 0;
  const isPolling = backoff.failures >= attemptsBeforePolling;
  // A proxy may pass calls but refuse streams, so an answered call counts as a sign for a few attempts only.
  if (outcome.wasOpen || !isPolling) reachability.lost();
  const end = await evaluateEnd(receiver, outcome);
  if (end !== undefined || signal.aborted) return end;
  const polled = await pollInstead(receiver, isPolling);
  if (polled?.kind === "ended") return polled.end;
  if (!signal.aborted) await waitForAttempt(receiver, outcome, polled);
  return undefined;
}

/**
 * Polls if streams keep failing. Two silent ones may have met the same frame, which takes longer than a ping interval on this link: the
 * WebSockets of platforms tell of a frame only when it is whole. A poll lives for as long as bytes of its answer arrive.
 */
async function pollInstead(receiver: Receiver, isPolling: boolean): Promise<PollOutcome | undefined> {
  const isStuck = receiver.silentStreams >= silentStreamsBeforePolling;
  if (isStuck) receiver.silentStreams = 0;
  else if (!isPolling || millisUntilPoll(receiver) > 0) return undefined;
  return poll(receiver, { isPatient: isStuck });
}

async function waitForAttempt(receiver: Receiver, outcome: StreamOutcome, polled?: PollOutcome): Promise<void> {
  const { backoff, wakes } = receiver;
  const { code, reason, retryAfterSeconds = retryAfterOf(polled) } = outcome;
  const isRequested = outcome.retryAfterSeconds !== undefined || isRequestedByRelay(polled);
  const isPolling = backoff.failures >= attemptsBeforePolling && polled?.kind !== "failed";
  const ownMillis = isPolling ? Math.min(backoff.waitMillis(), millisUntilPoll(receiver)) : backoff.waitMillis();
  const afterMillis = Math.max(ownMillis, millisOf(retryAfterSeconds));
  if (polled?.kind === "emptied") receiver.tell({ state: "polling", afterMillis: 1000 * receiver.pollSeconds });
  else if (!isPolling) receiver.tell({ state: "reconnecting", afterMillis, code, reason });
  await wakes.wait(afterMillis, { isRequested });
}

/** Zero or less if a poll is due, which is also the case after the clock was set back. */
function millisUntilPoll({ connection, polledAtMillis, pollSeconds }: Receiver): number {
  const passed = connection.runtime.nowMillis() - polledAtMillis;
  return passed < 0 ? 0 : 1000 * pollSeconds - passed;
}

function millisOf(requestedSeconds: number | undefined): number {
  return requestedSeconds === undefined ? 0 : 1000 * sensibleSeconds(requestedSeconds);
}

/** A proxy's `Retry-After` does not say when the relay is back, so any sign of the relay ends the wait. */
function isRequestedByRelay(polled: PollOutcome | undefined): boolean {
  return polled?.kind === "failed" && polled.isRelays && polled.retryAfterSeconds !== undefined;
}

function retryAfterOf(polled: PollOutcome | undefined): number | undefined {
  return polled?.kind === "failed" ? polled.retryAfterSeconds : undefined;
}

/** Whether the end of a stream ends receiving; undefined if the stream should be reopened. */
async function evaluateEnd(
  receiver: Receiver,
  { code, token, problem: cause }: StreamOutcome,
): Promise<ReceivingEnd | undefined> {
  const { keeper, renewAddresses, signal } = receiver;
  if (signal.aborted) return undefined;
  if (code === closeCodes.replaced.code) return { reason: "replaced" };
  try {
    if (code === closeCodes.invalidToken.code && token === "") return { reason: "refused", cause };
    if (code === closeCodes.invalidToken.code) await keeper.refused(token);
    if (code === closeCodes.notAnnounced.code) await renewAddresses();
  } catch (problem) {
    receiver.problem(problem);
    if (isRefusal(problem)) return { reason: "refused", cause: problem };
  }
  return undefined;
}
