import { monotonicMillis } from "../../src/process/message-steps.js";
import type { SocketAddress } from "./bare-socket.js";
import { type Load, type LoadResult, type Quantiles, quantiles, runLoad } from "./load.js";
import type { BenchDevice } from "./load-clients.js";
import { framed, openRawStream, type RawStream } from "./raw-stream.js";

const openingAtOnce = 50;

/** Opens a stream for each device and authenticates it. `onMessage` is called with each message, which is acknowledged. */
export async function openStreams(
  at: SocketAddress,
  devices: readonly BenchDevice[],
  onMessage: (messageId: string) => void = () => {},
): Promise<RawStream[]> {
  const streams: RawStream[] = [];
  const receive = (payload: Buffer, stream: RawStream): void => {
    const id = pushedId(payload);
    if (id === undefined) return;
    onMessage(id);
    stream.send(acknowledgementOf(id));
  };
  for (let from = 0; from < devices.length; from += openingAtOnce) {
    const part = devices.slice(from, from + openingAtOnce);
    const opening = part.map(({ token }) => openRawStream(at, { access_token: token }, receive));
    streams.push(...(await Promise.all(opening)));
  }
  return streams;
}

const messageType = Buffer.from('"type":"message"');
const idName = Buffer.from('"message_id":"');
const idLength = 36;

/** The id of the message that a frame pushes, if it does. */
function pushedId(frame: Buffer): string | undefined {
  if (!frame.includes(messageType)) return undefined;
  const at = frame.indexOf(idName) + idName.length;
  return frame.toString("latin1", at, at + idLength);
}

const acknowledgement = framed(`{"type":"ack","message_id":"${"0".repeat(idLength)}"}`);
const acknowledgedIdAt = acknowledgement.indexOf(idName) + idName.length;

/** The frame that acknowledges a message. */
function acknowledgementOf(messageId: string): Buffer {
  const frame = Buffer.from(acknowledgement);
  frame.write(messageId, acknowledgedIdAt, "latin1");
  return frame;
}

/** Of a load of messages that are sent, pushed and acknowledged: milliseconds from the request to the stream. */
export interface PushResult extends Quantiles {
  sent: LoadResult;
  /** Messages per second that arrived. */
  perSecond: number;
  arrivals: readonly Arrival[];
}

/** A message, and when it was sent and arrived, by the machine's monotonic clock, in milliseconds. */
export interface Arrival {
  id: string;
  sentAt: number;
  arrivedAt: number;
}

/**
 * Sends messages to devices with open streams, which acknowledge them. Streams are opened at the relay that takes the
 * messages, unless `at` names another one.
 */
export async function measurePush(load: Load, at: SocketAddress = load.target): Promise<PushResult> {
  const sentAt = new Map<string, number>();
  const arrivals: Arrival[] = [];
  let begunAt = 0;
  const streams = await openStreams(at, load.recipients, (id) => {
    const sent = sentAt.get(id);
    if (sent !== undefined) arrivals.push({ id, sentAt: sent, arrivedAt: monotonicMillis() });
    sentAt.delete(id);
  });
  const sent = await runLoad({
    ...load,
    onSend: (id) => sentAt.set(id, monotonicMillis()),
    onMeasure: () => {
      load.onMeasure?.();
      arrivals.length = 0;
      begunAt = monotonicMillis();
    },
  });
  const perSecond = (1000 * arrivals.length) / (monotonicMillis() - begunAt);
  for (const stream of streams) stream.close();
  return { sent, perSecond, arrivals, ...quantiles(arrivals.map((one) => one.arrivedAt - one.sentAt)) };
}
