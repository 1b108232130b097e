import type { ServerFrame, SystemFrame } from "../../../generated/frames.js";
import { closeCodes } from "../../../generated/frames.js";
import type { components } from "../../../generated/openapi-types.js";
import { isRefusal, type Receiver, renewAddressesWhenDue, sensibleSeconds } from "./receiving.js";
import { openStreamLink, type StreamEnd, type StreamLink } from "./stream-link.js";
import { createWindow, maxWindow } from "./stream-window.js";

const openingMillis = 15_000;
/** How long a stream that is closed may take to deal with the current message. */
const closingMillis = 4_000;
/** How long an open stream may take to answer a check that it is alive. */
const answerMillis = 5_000;
const usualPingSeconds = 30;
/** After how long an acknowledgement is repeated if the relay does not say it. */
const usualRetrySeconds = 5;

/** How a stream ended, and whether it had opened. */
export interface StreamOutcome extends StreamEnd {
  wasOpen: boolean;
  /** Nothing has arrived on it for too long. */
  wasSilent: boolean;
  token: string;
  /** Why there was no token. */
  problem?: unknown;
}

/** Opens a stream and receives frames until it ends. */
export async function streamOnce(receiver: Receiver): Promise<StreamOutcome> {
  const { connection, keeper, signal, acknowledger, sends } = receiver;
  let token = "";
  try {
    token = await keeper.token();
  } catch (problem) {
    receiver.problem(problem);
    const code = isRefusal(problem) ? closeCodes.invalidToken.code : 0;
    const outcome = { code, reason: String(problem), retryAfterSeconds: undefined, wasOpen: false, wasSilent: false };
    return { ...outcome, token, problem };
  }
  const { url, runtime } = connection;
  let isOpen = false;
  let wasSilent = false;
  let hasBeenEmpty = false;
  const window = await grantedWindow(receiver);
  const room = createWindow(receiver);
  const over = new AbortController();
  const link: StreamLink = openStreamLink({
    url,
    token,
    window,
    runtime,
    onFrame(frame) {
      receiveFrame(receiver, { frame, link });
      if (hasBeenEmpty || frame.type !== "status" || frame.queue_empty !== true) return;
      hasBeenEmpty = true;
      receiver.tell({ state: "empty" });
    },
    onOpen(first) {
      isOpen = true;
      acknowledger.use(link);
      sends.use(link, first);
      room.use(link, first);
      receiver.tell({ state: "streaming" });
    },
  });
  signal.addEventListener("abort", () => void closeGracefully(receiver, link), { signal: over.signal });
  if (signal.aborted) link.close();
  const opening = runtime.sleep(openingMillis, over.signal).then(() => undefined);
  opening.catch(() => undefined);
  const abandon = () => isOpen || link.close();
  await receiver.wakes.attempt(Promise.race([link.opened, opening]), abandon);
  if (!isOpen) link.close();
  else {
    const onSilence = () => {
      wasSilent = true;
      link.close();
    };
    void keepAlive(receiver, { link, token, over: over.signal, onSilence }).catch(() => undefined);
    await receiver.wakes.whileOpen(
      link.ended,
      () => void checkSilence(receiver, { link, over: over.signal, onSilence }),
    );
  }
  const end = await link.ended;
  over.abort();
  room.leave();
  acknowledger.leave(link);
  sends.leave(link);
  receiver.queue.filled();
  return { ...end, wasOpen: isOpen, wasSilent, token };
}

/**
 * The window to request at first; `undefined` if none is wanted, or if the relay does not know windows and would refuse the
 * frame.
 */
async function grantedWindow({ connection, options, problem }: Receiver): Promise<number | undefined> {
  if (options.window === undefined) return undefined;
  const max = await maxWindow({ connection, problem });
  return max === undefined ? undefined : Math.min(options.window, max);
}

/** Waits a limited time for the current message to be handled and its acknowledgement to be confirmed. */
async function closeGracefully(receiver: Receiver, link: StreamLink): Promise<void> {
  const { inbox, acknowledger, connection, handler } = receiver;
  const over = new AbortController();
  const patience = connection.runtime.sleep(closingMillis, over.signal).catch(() => undefined);
  const acknowledged = inbox.released(handler).then(async () => {
    await acknowledger.allAnswered(link);
    // A failed acknowledgement must not wait for its turn.
    await acknowledger.flush().catch(receiver.problem);
  });
  await Promise.race([acknowledged, patience, link.ended]);
  over.abort();
  link.close();
}

function receiveFrame(receiver: Receiver, { frame, link }: { frame: ServerFrame; link: StreamLink }): void {
  const { inbox, acknowledger, queue, handler } = receiver;
  if (frame.type === "message" || frame.type === "system") queue.filled();
  if (frame.type === "message") inbox.offer(frame.data, handler);
  else if (frame.type === "system") inbox.offer(asQueued(frame), handler);
  else if (frame.type === "ack_confirmed" || frame.type === "ack_batch_confirmed") acknowledger.answered(link);
  else if (frame.type === "send_result") receiver.sends.answered(frame);
  else if (frame.type === "error") {
    receiver.problem(new Error(`the relay says ${frame.error}: ${frame.message}`));
    const { message_id: one, message_ids: ids = one === undefined ? [] : [one] } = frame;
    if (ids.length > 0) acknowledger.failed(link, ids, sensibleSeconds(frame.retry_after ?? usualRetrySeconds));
  } else if (frame.type === "status") {
    receiver.pollSeconds = sensibleSeconds(frame.next_poll_fallback);
    if (frame.queue_empty === true) queue.emptied();
    if (frame.key_packages_remaining !== undefined) receiver.tellKeyPackages(frame.key_packages_remaining);
  }
}

function asQueued({ event, data }: SystemFrame): components["schemas"]["QueuedMessage"] {
  const { extension_type, ...message } = data;
  return { ...message, system_event: { event, ...(extension_type === undefined ? {} : { extension_type }) } };
}

interface Watched {
  link: StreamLink;
  over: AbortSignal;
  /** Closes the stream. */
  onSilence(): void;
}

/** Sends pings and each new token, and closes a stream on which nothing has arrived between two pings. */
async function keepAlive(
  receiver: Receiver,
  { link, token, over, onSilence }: Watched & { token: string },
): Promise<void> {
  const { connection, keeper, options } = receiver;
  let used = token;
  for (let heard = 0; ; ) {
    await connection.runtime.sleep(1000 * (options.pingSeconds ?? usualPingSeconds), over);
    if (link.heard() === heard) return onSilence();
    heard = link.heard();
    ping(receiver, link);
    // The relay pauses when nothing is acknowledged for a minute. An id that it does not know is a sign of life, too.
    if (receiver.inbox.failing() > 0) receiver.acknowledger.done(connection.newMessageId());
    await renewAddressesWhenDue(receiver);
    const fresh = await keeper.token().catch(receiver.problem);
    if (typeof fresh !== "string" || fresh === used || over.aborted) continue;
    link.send({ type: "auth", access_token: fresh });
    used = fresh;
  }
}

/**
 * Closes a stream that does not answer a ping soon: the connection may have been lost silently while the device slept.
 */
async function checkSilence(receiver: Receiver, { link, over, onSilence }: Watched): Promise<void> {
  const heard = link.heard();
  ping(receiver, link);
  await receiver.connection.runtime.sleep(answerMillis, over).catch(() => undefined);
  if (link.heard() === heard && !over.aborted) onSilence();
}

function ping({ connection }: Receiver, link: StreamLink): void {
  link.send({ type: "ping", timestamp: connection.clock.nowSeconds() });
}
