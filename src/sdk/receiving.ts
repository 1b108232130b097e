// Takes messages in until it is stopped. The stream is the usual way. When it breaks, it is opened again after 1, 2, 4 and 8
// seconds, with jitter. After five tries in a row without success the queue is polled instead, as often as the relay said,
// and after every poll the stream is tried once more. A stream that another one of the same device has replaced is not
// opened again: two clients would take it from each other for ever.

import { closeCodes } from "../../generated/frames.js";
import { pollAndWait } from "./polling.js";
import {
  createReceiver,
  isRefusal,
  type Receiver,
  type Receiving,
  type ReceivingDeps,
  type ReceivingEnd,
  type ReceivingOptions,
} from "./receiver.js";
import { type StreamOutcome, streamOnce } from "./streaming.js";

const triesBeforePolling = 5;
const soundAfterMillis = 10_000;

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
    if (failures >= triesBeforePolling) end = await pollAndWait(receiver);
    if (end !== undefined || signal.aborted || options.transport === "poll") continue;
    const begun = receiver.connection.runtime.nowMillis();
    const outcome = await streamOnce(receiver);
    const lasted = receiver.connection.runtime.nowMillis() - begun;
    failures = outcome.wasOpen && lasted >= soundAfterMillis ? 0 : failures + 1;
    end = await judge(receiver, outcome);
    if (end === undefined && failures < triesBeforePolling) await pauseBeforeRetry(receiver, failures, outcome);
  }
  await receiver.inbox.settled();
  if (end?.reason !== "refused") await receiver.acknowledger.flush().catch(receiver.problem);
  return end ?? { reason: "stopped" };
}

/** What the end of a stream means: nothing (try again), or the end of it all. */
async function judge(receiver: Receiver, { code, token, reason }: StreamOutcome): Promise<ReceivingEnd | undefined> {
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
  // After a stream that was sound the first try comes soon, yet not at once: all clients of a relay lose theirs together.
  const jittered = failures === 0 ? fraction() : 2 ** (failures - 1) * (0.5 + 0.5 * fraction());
  const afterMillis = 1000 * Math.max(jittered, outcome.retryAfterSeconds ?? 0);
  options.onStatus?.({ state: "reconnecting", afterMillis, code: outcome.code, reason: outcome.reason });
  await sleep(afterMillis, signal).catch(() => undefined);
}
