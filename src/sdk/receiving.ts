// Takes messages in until it is stopped. The stream is the usual way. When it breaks, it is opened again after 1, 2, 4 and 8
// seconds, with jitter. After five tries in a row without success the queue is polled instead, as often as the relay said,
// and after every poll the stream is tried once more. A stream that another one of the same device has replaced is not
// opened again: two clients would take it from each other for ever.

import { closeCodes, type ServerFrame, type SystemFrame } from "../../generated/frames.js";
import type { components } from "../../generated/openapi-types.js";
import { type Acknowledger, createAcknowledger } from "./acknowledger.js";
import type { Caller } from "./calls.js";
import type { Connection } from "./connection.js";
import { AnswerError } from "./failures.js";
import { createInbox, type Inbox, type InboxNeeds } from "./inbox.js";
import type { Session, SessionKeeper } from "./session.js";
import { openStreamLink, type StreamEnd, type StreamLink } from "./stream-link.js";

export type ReceivingStatus =
  /** The stream is open. */
  | { state: "streaming" }
  /** All that was queued has been handed over and acknowledged. */
  | { state: "empty" }
  /** The stream ended with this close code, or could not be opened, and is tried again after this time. */
  | { state: "reconnecting"; afterMillis: number; code: number; reason: string }
  /** The queue was polled, and is polled again after this time. */
  | { state: "polling"; afterMillis: number };

export interface ReceivingOptions {
  /** Called for one message at a time. The message is acknowledged once this resolves, so store it before. */
  handle: InboxNeeds["handle"];
  /** Failures that receiving goes on after: of `handle`, of a poll, of an address renewal. */
  onProblem?: ((problem: unknown) => void) | undefined;
  onStatus?: ((status: ReceivingStatus) => void) | undefined;
  /** How many key packages the relay holds for the device, when it tells. */
  onKeyPackagesRemaining?: ((remaining: number) => void) | undefined;
  /** `poll` never opens a stream. */
  transport?: "stream" | "poll" | undefined;
  /** Addresses are announced anew after this; 12 hours unless given, 0 for never. */
  renewAddressesAfterSeconds?: number | undefined;
  pingSeconds?: number | undefined;
}

export type ReceivingEnd =
  | { reason: "stopped" }
  /** Another client of the same device took over. */
  | { reason: "replaced" }
  /** The relay refuses this device. */
  | { reason: "refused"; cause: unknown };

export interface Receiving {
  /** Never rejects. */
  readonly ended: Promise<ReceivingEnd>;
  /** Stops, and resolves when the message that is being handled is through and acknowledged. */
  stop(): Promise<void>;
}

export interface ReceivingNeeds {
  connection: Connection;
  keeper: SessionKeeper<Session>;
  caller: Caller;
  renewAddresses(): Promise<unknown>;
}

const triesBeforePolling = 5;
const soundAfterMillis = 10_000;
const openingMillis = 15_000;
const closingMillis = 2_000;
const usualPingSeconds = 30;
const usualPollSeconds = 30;
const usualAddressRenewalSeconds = 12 * 3_600;
const addressRenewalPauseSeconds = 1_200;
const usualPage = 100;
const largestPage = 1_000;

/** Starts at once. */
export function startReceiving(needs: ReceivingNeeds, options: ReceivingOptions): Receiving {
  const stopping = new AbortController();
  const receiver = createReceiver(needs, options, stopping.signal);
  const ended = run(receiver).finally(() => stopping.abort());
  return {
    ended,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

interface Receiver extends ReceivingNeeds {
  options: ReceivingOptions;
  signal: AbortSignal;
  inbox: Inbox;
  acknowledger: Acknowledger;
  problem(problem: unknown): void;
  /** As the relay said last. */
  pollSeconds: number;
  renewalNotBefore: number;
}

function createReceiver(needs: ReceivingNeeds, options: ReceivingOptions, signal: AbortSignal): Receiver {
  const { surroundings } = needs.connection;
  const acknowledger = createAcknowledger(needs.caller);
  const problem = (what: unknown) => options.onProblem?.(what);
  const { handle } = options;
  const inbox = createInbox({ handle, done: acknowledger.done, onProblem: problem, surroundings, signal });
  return {
    ...needs,
    options,
    signal,
    inbox,
    acknowledger,
    problem,
    pollSeconds: usualPollSeconds,
    renewalNotBefore: 0,
  };
}

async function run(receiver: Receiver): Promise<ReceivingEnd> {
  const { signal, options } = receiver;
  let end: ReceivingEnd | undefined;
  let failures = options.transport === "poll" ? Number.POSITIVE_INFINITY : 0;
  while (end === undefined && !signal.aborted) {
    if (failures >= triesBeforePolling) end = await pollAndWait(receiver);
    if (end !== undefined || signal.aborted || options.transport === "poll") continue;
    const begun = receiver.connection.surroundings.nowMillis();
    const outcome = await streamOnce(receiver);
    const lasted = receiver.connection.surroundings.nowMillis() - begun;
    failures = outcome.wasOpen && lasted >= soundAfterMillis ? 0 : failures + 1;
    end = await judge(receiver, outcome);
    if (end === undefined && failures < triesBeforePolling) await pauseBeforeRetry(receiver, failures, outcome);
  }
  await receiver.inbox.settled();
  if (end?.reason !== "refused") await receiver.acknowledger.flush().catch(receiver.problem);
  return end ?? { reason: "stopped" };
}

interface StreamOutcome extends StreamEnd {
  wasOpen: boolean;
  token: string;
}

async function streamOnce(receiver: Receiver): Promise<StreamOutcome> {
  const { connection, keeper, signal, acknowledger, options } = receiver;
  let token = "";
  try {
    token = await keeper.token();
  } catch (problem) {
    receiver.problem(problem);
    const code = problem instanceof AnswerError ? closeCodes.invalidToken.code : 0;
    return { code, reason: String(problem), retryAfterSeconds: undefined, wasOpen: false, token };
  }
  const { url, surroundings } = connection;
  const over = new AbortController();
  const link: StreamLink = openStreamLink({
    ...{ url, token, surroundings },
    onFrame: (frame) => take(receiver, frame),
    onOpen() {
      options.onStatus?.({ state: "streaming" });
      acknowledger.by(link);
    },
  });
  signal.addEventListener("abort", () => void closeInOrder(receiver, link), { signal: over.signal });
  if (signal.aborted) link.close();
  const opening = surroundings.sleep(openingMillis, over.signal).then(() => undefined);
  opening.catch(() => undefined);
  const first = await Promise.race([link.opened, opening]);
  if (first === undefined) link.close();
  else void keepAlive(receiver, { link, token, over: over.signal }).catch(() => undefined);
  const end = await link.ended;
  acknowledger.by(undefined);
  over.abort();
  return { ...end, wasOpen: first !== undefined, token };
}

/** Lets the message in hand be dealt with and its acknowledgement be confirmed, though not for ever. */
async function closeInOrder({ inbox, acknowledger, connection }: Receiver, link: StreamLink): Promise<void> {
  await inbox.settled();
  await Promise.race([acknowledger.allAnswered(), connection.surroundings.sleep(closingMillis), link.ended]);
  link.close();
}

function take(receiver: Receiver, frame: ServerFrame): void {
  const { options, inbox, acknowledger } = receiver;
  if (frame.type === "message") inbox.offer(frame.data);
  else if (frame.type === "system") inbox.offer(asQueued(frame));
  else if (frame.type === "ack_confirmed" || frame.type === "ack_batch_confirmed") acknowledger.answered();
  else if (frame.type === "error") {
    receiver.problem(new Error(`the relay says ${frame.error}: ${frame.message}`));
    if (frame.message_id === undefined) return;
    acknowledger.answered();
    acknowledger.done(frame.message_id);
  } else if (frame.type === "status") {
    receiver.pollSeconds = frame.next_poll_fallback;
    if (frame.queue_empty === true) options.onStatus?.({ state: "empty" });
    if (frame.key_packages_remaining !== undefined) options.onKeyPackagesRemaining?.(frame.key_packages_remaining);
  }
}

function asQueued({ event, data }: SystemFrame): components["schemas"]["QueuedMessage"] {
  const { extension_type, ...message } = data;
  return { ...message, system_event: { event, ...(extension_type === undefined ? {} : { extension_type }) } };
}

/** Pings, gives the stream the newer token when there is one, and ends a stream that has fallen silent. */
async function keepAlive(
  receiver: Receiver,
  { link, token, over }: { link: StreamLink; token: string; over: AbortSignal },
): Promise<void> {
  const { connection, keeper, options } = receiver;
  let used = token;
  for (;;) {
    await connection.surroundings.sleep(1000 * (options.pingSeconds ?? usualPingSeconds), over);
    if (!link.heard()) return link.close();
    link.send({ type: "ping", timestamp: connection.clock.nowSeconds() });
    await renewAddressesWhenDue(receiver);
    const fresh = await keeper.token().catch(receiver.problem);
    if (typeof fresh !== "string" || fresh === used || over.aborted) continue;
    link.send({ type: "auth", access_token: fresh });
    used = fresh;
  }
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

/** Whether trying again later is of no use: the relay answered, and it is not about load or limits. */
function isRefusal(problem: unknown): boolean {
  return problem instanceof AnswerError && problem.status < 500 && problem.status !== 429;
}

async function pauseBeforeRetry(receiver: Receiver, failures: number, outcome: StreamOutcome): Promise<void> {
  const { connection, options, signal } = receiver;
  const { fraction, sleep } = connection.surroundings;
  // After a stream that was sound the first try comes soon, yet not at once: all clients of a relay lose theirs together.
  const jittered = failures === 0 ? fraction() : 2 ** (failures - 1) * (0.5 + 0.5 * fraction());
  const afterMillis = 1000 * Math.max(jittered, outcome.retryAfterSeconds ?? 0);
  options.onStatus?.({ state: "reconnecting", afterMillis, code: outcome.code, reason: outcome.reason });
  await sleep(afterMillis, signal).catch(() => undefined);
}

async function pollAndWait(receiver: Receiver): Promise<ReceivingEnd | undefined> {
  const { connection, options, signal } = receiver;
  try {
    await pollUntilEmpty(receiver);
    await renewAddressesWhenDue(receiver);
  } catch (problem) {
    if (signal.aborted) return undefined;
    receiver.problem(problem);
    if (isRefusal(problem)) return { reason: "refused", cause: problem };
  }
  const afterMillis = 1000 * receiver.pollSeconds;
  options.onStatus?.({ state: "polling", afterMillis });
  await connection.surroundings.sleep(afterMillis, signal).catch(() => undefined);
  return undefined;
}

/** What the application could not deal with yet comes again with each page, so the page is larger by as much. */
async function pollUntilEmpty({ caller, inbox, acknowledger, signal, ...receiver }: Receiver): Promise<void> {
  for (let hasNews = true; hasNews && !signal.aborted; ) {
    const limit = Math.min(largestPage, usualPage + inbox.waiting());
    const page = await caller.call("pollMessages", { query: { limit }, signal });
    const news = page.messages.filter((message) => inbox.offer(message));
    await inbox.settled();
    await acknowledger.flush();
    hasNews = page.has_more && news.length > 0;
    if (receiver.options.transport === "poll") receiver.pollSeconds = page.next_poll_interval;
  }
}

async function renewAddressesWhenDue(receiver: Receiver): Promise<void> {
  const { connection, keeper, options } = receiver;
  const after = options.renewAddressesAfterSeconds ?? usualAddressRenewalSeconds;
  const now = connection.clock.nowSeconds();
  const announcedAt = keeper.current()?.announcedAt ?? now;
  if (after === 0 || now < announcedAt + after || now < receiver.renewalNotBefore) return;
  receiver.renewalNotBefore = now + addressRenewalPauseSeconds;
  await receiver.renewAddresses().catch(receiver.problem);
}
