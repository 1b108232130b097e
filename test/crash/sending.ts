import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../support/api.js";
import { message, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { keyOf, type Ledger, settle } from "./ledger.js";
import { type LiveStream, openLiveStream } from "./live-stream.js";

export type Target = Pick<TestRelay, "url" | "clock" | "config">;

/** How a sender sends: one message a request, several, several on a stream, or one message to all recipients or none. */
export type Kind = "single" | "batch" | "stream" | "to all";

interface Sender {
  target: Target;
  device: TestDevice;
  recipients: readonly TestDevice[];
  ledger: Ledger;
  kind: Kind;
  /** Between two attempts. */
  pauseMillis: number;
}

type Body = ReturnType<typeof message>;

/** A sender, and the stream that it has open. */
interface Sending extends Sender {
  stream: LiveStream | undefined;
}

const batchSize = 5;
const lookMillis = 10;

/** Sends the same messages until they are accepted, as clients do; the last ones are given up when the signal comes. */
export async function keepSending(sender: Sender, signal: AbortSignal): Promise<void> {
  const { target, recipients, kind } = sender;
  const sending: Sending = { ...sender, stream: undefined };
  const count = kind === "batch" || kind === "stream" ? batchSize : 1;
  let bodies: Body[] = [];
  for (let turn = 0; !signal.aborted; turn++) {
    if (bodies.length === 0) {
      const { address } = recipients[turn % recipients.length] as TestDevice;
      bodies = Array.from({ length: count }, () => message(target as TestRelay, address));
    }
    bodies = await attempt(sending, bodies);
    await sleep(sender.pauseMillis);
  }
  sending.stream?.close();
}

/** Gives what is to be sent again. */
async function attempt(sending: Sending, bodies: Body[]): Promise<Body[]> {
  const { kind } = sending;
  if (kind === "to all") return (await reachesAll(sending, bodies[0])) ? [] : bodies;
  const queued = await { stream: queueOnStream, single: queueOne, batch: queueBatch }[kind](sending, bodies);
  for (const body of bodies) {
    if (queued.has(body.message_id)) {
      sending.ledger.accepted.add(keyOf(body.message_id, { address: body.recipient_address }));
    }
  }
  return bodies.filter(({ message_id }) => !queued.has(message_id));
}

/** Like the next two, gives the ids of the messages that the relay has accepted. */
async function queueOne({ target, device, ledger }: Sending, [body]: readonly Body[]): Promise<Set<string>> {
  const answer = await settle(ledger, call(target, "sendMessage", { token: device.token, body }));
  return new Set(answer?.status === 202 ? [answer.body.message_id] : []);
}

async function queueBatch({ target, device, ledger }: Sending, messages: readonly Body[]): Promise<Set<string>> {
  const answer = await settle(ledger, call(target, "sendMessageBatch", { token: device.token, body: { messages } }));
  return answer?.status === 202 ? queuedOf(answer.body.message_statuses) : new Set();
}

/** All are under way at once. A result means that the message is stored; what has none when the stream ends is open. */
async function queueOnStream(sending: Sending, bodies: readonly Body[]): Promise<Set<string>> {
  sending.stream ??= await openLiveStream(sending.target.url, sending.device.token);
  const { stream } = sending;
  if (stream === undefined) return new Set();
  for (const body of bodies) stream.send({ type: "send", message: body });
  const results: { message_id: string; status: string }[] = [];
  while (results.length < bodies.length && !stream.isOver()) {
    await sleep(lookMillis);
    for (const frame of stream.take()) if (frame.type === "send_result") results.push(frame);
  }
  if (stream.isOver()) sending.stream = undefined;
  return queuedOf(results);
}

function queuedOf(statuses: readonly { message_id: string; status: string }[]): Set<string> {
  return new Set(statuses.filter(({ status }) => status === "queued").map(({ message_id }) => message_id));
}

/** Sends one message to all recipients or none. */
async function reachesAll({ target, device, recipients, ledger }: Sending, body?: Body): Promise<boolean> {
  const { recipient_address: _, ...content } = body ?? message(target as TestRelay, "");
  ledger.toAll.add(content.message_id);
  const to = recipients.map(({ address }) => address);
  const sent = { ...content, recipients: to, all_or_nothing: true };
  const answer = await settle(ledger, call(target, "sendMessageToMany", { token: device.token, body: sent }));
  if (answer?.status !== 202) return false;
  for (const recipient of recipients) ledger.accepted.add(keyOf(content.message_id, recipient));
  return answer.body.accepted_count === recipients.length;
}
