import type { ServerFrame } from "../../generated/frames.js";
import { openStream, type TestStream } from "../support/stream.js";

/** A stream whose other end may be killed at any moment. */
export interface LiveStream {
  send(frame: unknown): void;
  /** The frames that have come since the last call. */
  take(): ServerFrame[];
  isOver(): boolean;
  close(): void;
  /** Breaks the connection without a word. */
  cut(): void;
}

const lookMillis = 10;
const patienceMillis = 10_000;

/** Opens a stream of a device; undefined where that does not succeed. */
export async function openLiveStream(url: string, token: string): Promise<LiveStream | undefined> {
  const stream = await openStream(url).catch(() => undefined);
  if (stream === undefined) return undefined;
  const live = follow(stream);
  live.send({ type: "auth", access_token: token });
  const deadline = performance.now() + patienceMillis;
  while (!live.isOver() && performance.now() < deadline) {
    if (stream.all("status").length > 0) return live;
    await new Promise((settle) => setTimeout(settle, lookMillis));
  }
  live.cut();
  return undefined;
}

function follow(stream: TestStream): LiveStream {
  let isOver = false;
  let taken = 0;
  stream.closed.then(() => {
    isOver = true;
  });
  return {
    send(frame) {
      if (stream.socket.readyState === stream.socket.OPEN) stream.send(frame);
    },
    take() {
      const frames = stream.frames.slice(taken);
      taken = stream.frames.length;
      return frames;
    },
    isOver: () => isOver,
    close: () => stream.socket.close(),
    cut: () => stream.socket.terminate(),
  };
}
