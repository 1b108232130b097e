import type { SocketAddress } from "./bare-socket.js";
import type { Measured } from "./context.js";
import { type Load, type LoadResult, quantiles, runLoad } from "./load.js";
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
export function pushedId(frame: Buffer): string | undefined {
  if (!frame.includes(messageType)) return undefined;
  const at = frame.indexOf(idName) + idName.length;
  return frame.toString("latin1", at, at + idLength);
}

const acknowledgement = framed(`{"type":"ack","message_id":"${"0".repeat(idLength)}"}`);
const acknowledgedIdAt = acknowledgement.indexOf(idName) + idName.length;

/** The frame that acknowledges a message. */
export function acknowledgementOf(messageId: string): Buffer {
  const frame = Buffer.from(acknowledgement);
  frame.write(messageId, acknowledgedIdAt, "latin1");
  return frame;
}

/** The result of a load of messages that are sent, pushed and acknowledged. Times from request to stream, in milliseconds. */
export interface PushResult {
  sent: LoadResult;
  /** Messages per second that arrived. */
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
}

/**
 * Sends messages to devices with open streams, which acknowledge them. Streams are opened at the relay that takes the
 * messages, unless `at` names another one.
 */
export async function measurePush(load: Load, at: SocketAddress = load.target): Promise<PushResult> {
  const sentAt = new Map<string, number>();
  const times: number[] = [];
  let begunAt = 0;
  const streams = await openStreams(at, load.recipients, (id) => {
    const sent = sentAt.get(id);
    if (sent !== undefined) times.push(performance.now() - sent);
    sentAt.delete(id);
  });
  const sent = await runLoad({
    ...load,
    onSend: (id) => sentAt.set(id, performance.now()),
    onMeasure: () => {
      times.length = 0;
      begunAt = performance.now();
    },
  });
  const perSecond = (1000 * times.length) / (performance.now() - begunAt);
  for (const stream of streams) stream.close();
  return { sent, perSecond, ...quantiles(times) };
}

/** Bytes that one idle stream costs the relay: resident memory of the process, and its heap alone. */
export async function measureIdle(
  target: Measured,
  devices: readonly BenchDevice[],
): Promise<{ rss: number; heap: number }> {
  const before = await target.memory();
  const streams = await openStreams(target, devices);
  const after = await target.memory();
  for (const stream of streams) stream.close();
  const held = ({ heapUsed, external }: typeof before): number => heapUsed + external;
  return {
    rss: (after.rss - before.rss) / devices.length,
    heap: (held(after) - held(before)) / devices.length,
  };
}
