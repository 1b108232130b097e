import {
  type ClientFrame,
  frameShapes,
  type ServerFrame,
  type StatusFrame,
  streamPath,
} from "../../../generated/frames.js";
import { fits } from "../runtime/contract-shapes.js";
import type { Runtime, SocketLike } from "../runtime/runtime.js";

/** How a stream ended. */
export interface StreamEnd {
  /** A close code of the contract or of RFC 6455; 1006 if the connection broke, 1002 if a frame was malformed. */
  code: number;
  reason: string;
  /** How long the relay asks the client to wait. */
  retryAfterSeconds: number | undefined;
}

/** One connection of the stream, from its auth frame to its end. */
export interface StreamLink {
  /** Resolves when the relay has accepted the stream, or the stream has ended. */
  readonly opened: Promise<void>;
  readonly ended: Promise<StreamEnd>;
  /** Grows whenever something arrives: frames, and where the platform tells of them, bytes of a frame that is not whole yet. */
  heard(): number;
  /** Sends a frame. Returns false if the stream has ended. */
  send(frame: ClientFrame): boolean;
  /** Ends the stream without waiting for the other side. */
  close(): void;
}

interface LinkDeps {
  url: string;
  token: string;
  /** How many messages the relay may push ahead of their acknowledgements, if different from 10. */
  window?: number | undefined;
  runtime: Pick<Runtime, "openSocket">;
  /** Called with every frame of a known type. The first status frame comes after `onOpen`. */
  onFrame(frame: ServerFrame): void;
  /** Called with the first status frame, when the relay has accepted the stream. */
  onOpen(first: StatusFrame): void;
}

const brokenConnection = 1006;
const protocolError = 1002;

export function openStreamLink({ url, token, window, runtime, ...deps }: LinkDeps): StreamLink {
  const opened = deferred<void>();
  const ended = deferred<StreamEnd>();
  let socket: SocketLike | undefined;
  let retryAfterSeconds: number | undefined;
  let heard = 0;
  let isOpen = false;
  let isOver = false;

  const end = (code: number, reason: string) => {
    isOver = true;
    opened.resolve();
    ended.resolve({ code, reason, retryAfterSeconds });
  };
  const send = (frame: ClientFrame) => {
    if (isOver || socket === undefined) return false;
    socket.send(JSON.stringify(frame));
    return true;
  };
  const breakOff = (code: number, reason: string) => {
    if (isOver) return;
    end(code, reason);
    socket?.close();
  };
  const receive = (data: unknown) => {
    heard++;
    const frame = isOver ? undefined : readFrame(data);
    if (frame === undefined) return;
    if (!fits(frame, frameShapes[frame.type])) return breakOff(protocolError, `a malformed ${frame.type} frame`);
    retryAfterSeconds = secondsUntilReturn(frame) ?? retryAfterSeconds;
    if (!isOpen && frame.type === "status" && frame.status === "connected") {
      isOpen = true;
      deps.onOpen(frame);
      opened.resolve();
    }
    deps.onFrame(frame);
  };
  const listen = (to: SocketLike) => {
    socket = to;
    to.onerror = () => {};
    if (isOver) return to.close();
    to.onopen = () => void send({ type: "auth", access_token: token, ...(window !== undefined && { window }) });
    to.onmessage = ({ data }) => receive(data);
    to.onclose = ({ code, reason }) => end(code, reason);
  };
  Promise.resolve()
    .then(async () => {
      if (!isOver) listen(await runtime.openSocket(`${url.replace(/^http/, "ws")}${streamPath}`));
    })
    .catch((problem: unknown) => end(brokenConnection, String(problem)));

  return {
    opened: opened.promise,
    ended: ended.promise,
    heard: () => heard + (socket?.bytesHeard?.() ?? 0),
    send,
    close: () => breakOff(brokenConnection, "closed by the client"),
  };
}

/** The pause of a message that was rejected, or of an acknowledgement that failed, is not that of the stream. */
function secondsUntilReturn(frame: ServerFrame): number | undefined {
  if (frame.type === "status") return frame.retry_after;
  const isAboutStream = frame.type === "error" && frame.message_id === undefined && frame.message_ids === undefined;
  return isAboutStream ? frame.retry_after : undefined;
}

/** Frames of unknown types, which a newer relay may send, are ignored, and so are unknown members. */
function readFrame(data: unknown): ServerFrame | undefined {
  if (typeof data !== "string") return undefined;
  try {
    const frame = JSON.parse(data) as { type?: unknown } | null;
    return typeof frame?.type === "string" && Object.hasOwn(frameShapes, frame.type)
      ? (frame as ServerFrame)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Node.js 20 does not have Promise.withResolvers. */
function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
