import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../support/api.js";
import type { TestDevice } from "../support/device.js";
import { keyOf, type Ledger, noteReceived, settle } from "./ledger.js";
import { type LiveStream, openLiveStream } from "./live-stream.js";
import type { Target } from "./sending.js";

export interface Receiver {
  target: Target;
  recipient: TestDevice;
  ledger: Ledger;
  /** Between two polls, or two streams. */
  pauseMillis: number;
}

const longestStreamMillis = 20_000;
const lookMillis = 10;

/** Polls and acknowledges until the signal comes. */
export async function keepPolling(receiver: Receiver, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pollOnce(receiver);
    await sleep(receiver.pauseMillis);
  }
}

/** Polls until nothing is left. */
export async function pollEmpty(receiver: Receiver): Promise<void> {
  while ((await pollOnce(receiver)) !== 0) await sleep(receiver.pauseMillis);
}

/** How many messages there were; undefined where the relay did not answer well. */
async function pollOnce({ target, recipient, ledger }: Receiver): Promise<number | undefined> {
  const { token } = recipient;
  const page = await settle(ledger, call(target, "pollMessages", { token }));
  if (page?.status !== 200) return undefined;
  const ids = page.body.messages.map(({ message_id }) => message_id);
  const keys = ids.map((id) => keyOf(id, recipient));
  noteReceived(ledger, keys);
  if (ids.length === 0) return 0;
  const done = await settle(ledger, call(target, "acknowledgeMessages", { token, body: { message_ids: ids } }));
  if (done?.status === 200) for (const key of keys) ledger.acknowledged.add(key);
  return ids.length;
}

/** Opens one stream after the other, and acknowledges what comes. Half of the streams end without a word. */
export async function keepStreaming(receiver: Receiver, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const stream = await openLiveStream(receiver.target.url, receiver.recipient.token);
    if (stream !== undefined) await follow(receiver, stream, signal);
    await sleep(receiver.pauseMillis);
  }
}

async function follow({ recipient, ledger }: Receiver, stream: LiveStream, signal: AbortSignal): Promise<void> {
  const until = performance.now() + Math.random() * longestStreamMillis;
  while (!stream.isOver() && !signal.aborted && performance.now() < until) {
    for (const frame of stream.take()) {
      if (frame.type === "message" || frame.type === "system") {
        const { message_id } = frame.data;
        noteReceived(ledger, [keyOf(message_id, recipient)]);
        ledger.onPush?.(message_id);
        stream.send({ type: "ack", message_id });
      } else if (frame.type === "ack_confirmed" && frame.acknowledged) {
        ledger.acknowledged.add(keyOf(frame.message_id, recipient));
      }
    }
    await sleep(lookMillis);
  }
  if (Math.random() < 0.5) stream.close();
  else stream.cut();
}
