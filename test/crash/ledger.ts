import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../support/api.js";
import { message, newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { openDeviceStream, type TestStream } from "../support/stream.js";

/** What a client knows for certain, because it was told. A message is known by its id and its recipient. */
export interface Ledger {
  accepted: Set<string>;
  received: Set<string>;
  acknowledged: Set<string>;
  /** Ids that came again after their acknowledgement was confirmed. */
  cameBack: string[];
  /** Ids of messages that were sent to all recipients or none. */
  toAll: Set<string>;
  /** How often each status was answered; 0 is no answer. */
  statuses: Map<number, number>;
}

/** Devices that send and receive without a pause, whatever happens to the relay. */
export interface Traffic {
  ledger: Ledger;
  /**
   * Ends the sending, receives until nothing is left, and tells what was accepted and never came, or came to some of those
   * to whom it should have come together.
   */
  finish(): Promise<string[]>;
}

export type Target = Pick<TestRelay, "url" | "clock" | "config">;

type Kind = "single" | "batch" | "stream" | "to all";

const senders: readonly Kind[] = ["single", "batch", "stream", "to all"];
const recipientCount = 3;
const batchSize = 5;
const pauseMillis = 20;

/** `target.url` is read again for each request: a relay may come back elsewhere. */
export async function startTraffic(target: Target): Promise<Traffic> {
  const ledger: Ledger = {
    accepted: new Set(),
    received: new Set(),
    acknowledged: new Set(),
    cameBack: [],
    toAll: new Set(),
    statuses: new Map(),
  };
  const recipients: TestDevice[] = [];
  for (let i = 0; i < recipientCount; i++) recipients.push(await newDevice(target as TestRelay));
  const sending = new AbortController();
  const receiving = new AbortController();
  const loops: Promise<void>[] = [];
  for (const kind of senders) {
    const sender = await newDevice(target as TestRelay);
    loops.push(keepSending({ target, sender, recipients, ledger, kind, stream: undefined }, sending.signal));
  }
  const receivers = recipients.map((recipient) => keepReceiving({ target, recipient, ledger }, receiving.signal));
  return {
    ledger,
    async finish() {
      sending.abort();
      await Promise.all(loops);
      receiving.abort();
      await Promise.all(receivers);
      for (const recipient of recipients) {
        while ((await receiveOnce({ target, recipient, ledger })) !== 0) await sleep(pauseMillis);
      }
      const partly = [...ledger.toAll].filter((id) => {
        const came = recipients.filter((recipient) => ledger.received.has(keyOf(id, recipient))).length;
        return came > 0 && came < recipientCount;
      });
      return [...[...ledger.accepted].filter((key) => !ledger.received.has(key)), ...partly];
    },
  };
}

function keyOf(messageId: string, recipient: TestDevice): string {
  return `${messageId} for ${recipient.address}`;
}

interface Sending {
  target: Target;
  sender: TestDevice;
  recipients: readonly TestDevice[];
  ledger: Ledger;
  kind: Kind;
  /** The open stream, if it sends on one. */
  stream: TestStream | undefined;
}

/** Sends the same messages until they are accepted, as clients do; the last ones are given up where the test ends. */
async function keepSending(sending: Sending, signal: AbortSignal): Promise<void> {
  const { target, recipients, kind } = sending;
  const [recipient] = recipients as [TestDevice];
  let bodies: ReturnType<typeof message>[] = [];
  while (!signal.aborted) {
    const count = kind === "batch" || kind === "stream" ? batchSize : 1;
    if (bodies.length === 0) {
      bodies = Array.from({ length: count }, () => message(target as TestRelay, recipient.address));
    }
    bodies = await attempt(sending, bodies);
    await sleep(pauseMillis);
  }
  await sending.stream?.close();
}

/** Gives what is to be sent again. */
async function attempt(sending: Sending, bodies: ReturnType<typeof message>[]) {
  const { target, sender, recipients, ledger, kind } = sending;
  const { token } = sender;
  const [recipient] = recipients as [TestDevice];
  if (kind === "to all") return (await reachesAll(sending, bodies[0])) ? [] : bodies;
  if (kind === "stream") return attemptOnStream(sending, bodies);
  if (kind === "single") {
    const answer = await settle(ledger, call(target, "sendMessage", { token, body: bodies[0] }));
    if (answer?.status !== 202) return bodies;
    ledger.accepted.add(keyOf(answer.body.message_id, recipient));
    return [];
  }
  const answer = await settle(ledger, call(target, "sendMessageBatch", { token, body: { messages: bodies } }));
  if (answer?.status !== 202) return bodies;
  const taken = answer.body.message_statuses.filter(({ status }) => status === "queued");
  for (const { message_id } of taken) ledger.accepted.add(keyOf(message_id, recipient));
  return bodies.filter(({ message_id }) => !ledger.accepted.has(keyOf(message_id, recipient)));
}

/** Sends one message to all recipients or none. */
async function reachesAll({ target, sender, recipients, ledger }: Sending, body?: ReturnType<typeof message>) {
  const { recipient_address: _, ...content } = body ?? message(target as TestRelay, "");
  ledger.toAll.add(content.message_id);
  const to = recipients.map(({ address }) => address);
  const sent = { ...content, recipients: to, all_or_nothing: true };
  const answer = await settle(ledger, call(target, "sendMessageToMany", { token: sender.token, body: sent }));
  if (answer?.status !== 202) return false;
  for (const recipient of recipients) ledger.accepted.add(keyOf(content.message_id, recipient));
  return answer.body.accepted_count === recipients.length;
}

/** All are under way at once. A result means that the message is stored; what has none when the stream ends is open. */
async function attemptOnStream(sending: Sending, bodies: ReturnType<typeof message>[]) {
  const { target, sender, recipients, ledger } = sending;
  const [recipient] = recipients as [TestDevice];
  sending.stream ??= await openDeviceStream(target.url, sender.token).catch(() => undefined);
  const { stream } = sending;
  if (stream === undefined) return bodies;
  const before = stream.all("send_result").length;
  for (const body of bodies)
    if (stream.socket.readyState === stream.socket.OPEN) stream.send({ type: "send", message: body });
  const answered = () => stream.all("send_result").slice(before);
  for (let isOver = false; !isOver && answered().length < bodies.length; ) {
    isOver = await Promise.race([stream.closed.then(() => true), sleep(pauseMillis).then(() => false)]);
    if (isOver) sending.stream = undefined;
  }
  for (const { message_id, status } of answered()) {
    if (status === "queued") ledger.accepted.add(keyOf(message_id, recipient));
  }
  return bodies.filter(({ message_id }) => !ledger.accepted.has(keyOf(message_id, recipient)));
}

interface ReceivingParts {
  target: Target;
  recipient: TestDevice;
  ledger: Ledger;
}

async function keepReceiving(parts: ReceivingParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await receiveOnce(parts);
    await sleep(pauseMillis);
  }
}

/** How many messages there were; undefined where the relay did not answer well. */
async function receiveOnce({ target, recipient, ledger }: ReceivingParts): Promise<number | undefined> {
  const { token } = recipient;
  const page = await settle(ledger, call(target, "pollMessages", { token }));
  if (page?.status !== 200) return undefined;
  const ids = page.body.messages.map(({ message_id }) => message_id);
  const keys = ids.map((id) => keyOf(id, recipient));
  for (const key of keys) {
    if (ledger.acknowledged.has(key)) ledger.cameBack.push(key);
    ledger.received.add(key);
  }
  if (ids.length === 0) return 0;
  const done = await settle(ledger, call(target, "acknowledgeMessages", { token, body: { message_ids: ids } }));
  if (done?.status === 200) for (const key of keys) ledger.acknowledged.add(key);
  return ids.length;
}

/** A broken connection is no answer; it is counted as 0. */
async function settle<A extends { status: number }>(ledger: Ledger, asked: Promise<A>): Promise<A | undefined> {
  const answer = await asked.catch(() => undefined);
  const status = answer?.status ?? 0;
  ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1);
  return answer;
}
