// Receives messages until it is stopped, normally over the stream. When the stream breaks, it is opened again after 1, 2, 4
// and 8 seconds, with jitter. After five failed attempts in a row the queue is polled instead, as often as the relay asked,
// and the stream is tried once after every poll. A stream that another one of the same device has replaced is not opened
// again: two clients would replace each other forever.

import { closeCodes } from "../../generated/frames.js";
import { pollAndWait } from "./poll.js";
import {
  createReceiver,
  isRefusal,
  type Receiver,
  type Receiving,
  type ReceivingDeps,
  type ReceivingEnd,
  type ReceivingOptions,
} from "./receiver.js";
import { type StreamOutcome, streamOnce } from "./stream.js";

const attemptsBeforePolling = 5;
const stableAfterMillis = 10_000;

/** Starts at once. */
export function startReceiving(deps: ReceivingDeps, options: ReceivingOptions): Receiving {
  const stopping = new AbortController();
  const receiver = createReceiver(deps, options, stopping.signal);
  const ended = run(receiver).finally(() => stopping.abort());
  return {
    ended,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function run(receiver: Receiver): Promise<ReceivingEnd> {
  const { signal, options } = receiver;
  let end: ReceivingEnd | undefined;
  let failures = options.transport === "poll" ? Number.POSITIVE_INFINITY : 0;
  while (end === undefined && !signal.aborted) {
    if (failures >= attemptsBeforePolling) end = await pollAndWait(receiver);
    if (end !== undefined || signal.aborted || options.transport === "poll") continue;
    const begun = receiver.connection.runtime.nowMillis();
    const outcome = await streamOnce(receiver);
    const lasted = receiver.connection.runtime.nowMillis() - begun;
    failures = outcome.wasOpen && lasted >= stableAfterMillis ? 0 : failures + 1;
    end = await evaluateEnd(receiver, outcome);
    if (end === undefined && failures < attemptsBeforePolling && !signal.aborted)
      await pauseBeforeRetry(receiver, failures, outcome);
  }
  await receiver.inbox.settled();
  if (end?.reason !== "refused") await receiver.acknowledger.flush().catch(receiver.problem);
  return end ?? { reason: "stopped" };
}

/** Whether the end of a stream ends receiving; undefined where the stream is opened again. */
async function evaluateEnd(
  receiver: Receiver,
  { code, token, reason }: StreamOutcome,
): Promise<ReceivingEnd | undefined> {
  const { keeper, renewAddresses, signal } = receiver;
  if (signal.aborted) return undefined;
  if (code === closeCodes.replaced.code) return { reason: "replaced" };
  try {
    if (code === closeCodes.invalidToken.code && token === "") return { reason: "refused", cause: new Error(reason) };
    if (code === closeCodes.invalidToken.code) await keeper.refused(token);
    if (code === closeCodes.notAnnounced.code) await renewAddresses();
  } catch (problem) {
    receiver.problem(problem);
    if (isRefusal(problem)) return { reason: "refused", cause: problem };
  }
  return undefined;
}

async function pauseBeforeRetry(receiver: Receiver, failures: number, outcome: StreamOutcome): Promise<void> {
  const { connection, options, signal } = receiver;
  const { fraction, sleep } = connection.runtime;
  // After a stable stream the first attempt follows soon, but not at once: all clients of a relay lose theirs together.
  const jittered = failures === 0 ? fraction() : 2 ** (failures - 1) * (0.5 + 0.5 * fraction());
  const afterMillis = 1000 * Math.max(jittered, outcome.retryAfterSeconds ?? 0);
  options.onStatus?.({ state: "reconnecting", afterMillis, code: outcome.code, reason: outcome.reason });
  await sleep(afterMillis, signal).catch(() => undefined);
}
