import { WebSocket } from "ws";
import type { Measured } from "./context.js";
import { type Load, type LoadResult, quantiles, runLoad } from "./load.js";
import type { BenchDevice } from "./load-clients.js";

const openingAtOnce = 50;

/** Where streams are opened: `ws://…`, or `wss://…` with the CA of the server's certificate (PEM). */
export interface StreamAddress {
  url: string;
  ca?: string;
}

/** A relay on this machine, without TLS. */
export function plainly(port: number): StreamAddress {
  return { url: `ws://127.0.0.1:${port}` };
}

/** Opens a stream for each device and authenticates it. `onMessage` is called with each message and may call `ack`. */
export async function openStreams(
  at: StreamAddress,
  devices: readonly BenchDevice[],
  onMessage: (messageId: string) => void = () => {},
): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  for (let from = 0; from < devices.length; from += openingAtOnce) {
    const part = devices.slice(from, from + openingAtOnce);
    sockets.push(...(await Promise.all(part.map((device) => openStream(at, device, onMessage)))));
  }
  return sockets;
}

function openStream(
  { url, ca }: StreamAddress,
  { token }: BenchDevice,
  onMessage: (messageId: string) => void,
): Promise<WebSocket> {
  const socket = new WebSocket(`${url}/v1/stream`, { perMessageDeflate: false, ...(ca !== undefined && { ca }) });
  return new Promise((settle, fail) => {
    socket.on("error", fail);
    socket.once("open", () => socket.send(JSON.stringify({ type: "auth", access_token: token })));
    socket.on("message", (text: Buffer) => {
      const frame = JSON.parse(text.toString()) as { type: string; data?: { message_id: string } };
      if (frame.type === "status") settle(socket);
      if (frame.type === "error") fail(new Error(text.toString()));
      if (frame.data === undefined || frame.type !== "message") return;
      onMessage(frame.data.message_id);
      socket.send(JSON.stringify({ type: "ack", message_id: frame.data.message_id }));
    });
  });
}

export async function closeStreams(sockets: readonly WebSocket[]): Promise<void> {
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((settle) => {
          socket.once("close", () => settle());
          socket.close();
        }),
    ),
  );
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
export async function measurePush(load: Load, at = plainly(load.target.port)): Promise<PushResult> {
  const sentAt = new Map<string, number>();
  const times: number[] = [];
  const sockets = await openStreams(at, load.recipients, (id) => {
    const at = sentAt.get(id);
    if (at !== undefined) times.push(performance.now() - at);
    sentAt.delete(id);
  });
  const sent = await runLoad({
    ...load,
    onSend: (id) => sentAt.set(id, performance.now()),
    onMeasure: () => {
      times.length = 0;
    },
  });
  const perSecond = times.length / load.seconds;
  await closeStreams(sockets);
  return { sent, perSecond, ...quantiles(times) };
}

/** Bytes that one idle stream costs the relay: resident memory of the process, and its heap alone. */
export async function measureIdle(
  target: Measured,
  devices: readonly BenchDevice[],
): Promise<{ rss: number; heap: number }> {
  const before = await target.memory();
  const sockets = await openStreams(plainly(target.port), devices);
  const after = await target.memory();
  await closeStreams(sockets);
  const held = ({ heapUsed, external }: typeof before): number => heapUsed + external;
  return {
    rss: (after.rss - before.rss) / devices.length,
    heap: (held(after) - held(before)) / devices.length,
  };
}
