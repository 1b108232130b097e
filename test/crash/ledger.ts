import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../support/api.js";
import { message, newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { openDeviceStream, type TestStream } from "../support/stream.js";

/** What a client knows for certain, because it was told. */
export interface Ledger {
  accepted: Set<string>;
  received: Set<string>;
  acknowledged: Set<string>;
  /** Ids that came again after their acknowledgement was confirmed. */
  cameBack: string[];
  /** How often each status was answered; 0 is no answer. */
  statuses: Map<number, number>;
}

/** Devices that send and receive without a pause, whatever happens to the relay. */
export interface Traffic {
  ledger: Ledger;
  /** Ends the sending, receives until nothing is left, and tells what was accepted and never came. */
  finish(): Promise<string[]>;
}

export type Target = Pick<TestRelay, "url" | "clock" | "config">;

/** Every sender keeps to one of these ways. */
const ways = ["single", "batch", "stream"] as const;
const batchSize = 5;
const pauseMillis = 20;

/** `target.url` is read again for each request: a relay may come back elsewhere. */
export async function startTraffic(target: Target): Promise<Traffic> {
  const ledger: Ledger = {
    accepted: new Set(),
    received: new Set(),
    acknowledged: new Set(),
    cameBack: [],
    statuses: new Map(),
  };
  const recipient = await newDevice(target as TestRelay);
  const sending = new AbortController();
  const receiving = new AbortController();
  const loops: Promise<void>[] = [];
  for (const way of ways) {
    const sender = await newDevice(target as TestRelay);
    loops.push(keepSending({ target, sender, recipient, ledger, way, stream: undefined }, sending.signal));
  }
  const receiver = keepReceiving({ target, recipient, ledger }, receiving.signal);
  return {
    ledger,
    async finish() {
      sending.abort();
      await Promise.all(loops);
      receiving.abort();
      await receiver;
      while ((await receiveOnce({ target, recipient, ledger })) !== 0) await sleep(pauseMillis);
      return [...ledger.accepted].filter((id) => !ledger.received.has(id));
    },
  };
}

interface Sending {
  target: Target;
  sender: TestDevice;
  recipient: TestDevice;
  ledger: Ledger;
  way: (typeof ways)[number];
  /** The open stream, if it sends on one. */
  stream: TestStream | undefined;
}

/** Sends the same messages until they are accepted, as clients do; the last ones are given up where the test ends. */
async function keepSending(sending: Sending, signal: AbortSignal): Promise<void> {
  const { target, recipient, way } = sending;
  let bodies: ReturnType<typeof message>[] = [];
  while (!signal.aborted) {
    const count = way === "single" ? 1 : batchSize;
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
  const { target, sender, ledger, way } = sending;
  const { token } = sender;
  if (way === "stream") return attemptOnStream(sending, bodies);
  if (way === "single") {
    const answer = await settle(ledger, call(target, "sendMessage", { token, body: bodies[0] }));
    if (answer?.status !== 202) return bodies;
    ledger.accepted.add(answer.body.message_id);
    return [];
  }
  const answer = await settle(ledger, call(target, "sendMessageBatch", { token, body: { messages: bodies } }));
  if (answer?.status !== 202) return bodies;
  const taken = answer.body.message_statuses.filter(({ status }) => status === "queued");
  for (const { message_id } of taken) ledger.accepted.add(message_id);
  return bodies.filter(({ message_id }) => !ledger.accepted.has(message_id));
}

/** All are under way at once. A result means that the message is stored; what has none when the stream ends is open. */
async function attemptOnStream(sending: Sending, bodies: ReturnType<typeof message>[]) {
  const { target, sender, ledger } = sending;
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
  for (const { message_id, status } of answered()) if (status === "queued") ledger.accepted.add(message_id);
  return bodies.filter(({ message_id }) => !ledger.accepted.has(message_id));
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
  for (const id of ids) {
    if (ledger.acknowledged.has(id)) ledger.cameBack.push(id);
    ledger.received.add(id);
  }
  if (ids.length === 0) return 0;
  const done = await settle(ledger, call(target, "acknowledgeMessages", { token, body: { message_ids: ids } }));
  if (done?.status === 200) for (const id of ids) ledger.acknowledged.add(id);
  return ids.length;
}

/** A broken connection is no answer; it is counted as 0. */
async function settle<A extends { status: number }>(ledger: Ledger, asked: Promise<A>): Promise<A | undefined> {
  const answer = await asked.catch(() => undefined);
  const status = answer?.status ?? 0;
  ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1);
  return answer;
}
