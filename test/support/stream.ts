import { once } from "node:events";
import { WebSocket } from "ws";
import { validateServerFrame } from "../../generated/frame-validators.js";
import { type ServerFrame, streamPath } from "../../generated/frames.js";

type FrameOf<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;

/** How a stream ended. */
interface Farewell {
  code: number;
  reason: string;
}

/** The client's end of a stream. Every received frame is checked against the contract. */
export interface TestStream {
  readonly socket: WebSocket;
  /** All frames so far. */
  readonly frames: readonly ServerFrame[];
  readonly closed: Promise<Farewell>;
  send(frame: unknown): void;
  sendRaw(data: string | Buffer, binary?: boolean): void;
  /** The next frame of a type that no call has returned yet; other frames before it are skipped. */
  next<T extends ServerFrame["type"]>(type: T, waitMillis?: number): Promise<FrameOf<T>>;
  /** Fails if a frame of the type arrives within the time or has already arrived. */
  none(type: ServerFrame["type"], millis?: number): Promise<void>;
  /** Frames of a type so far. */
  all<T extends ServerFrame["type"]>(type: T): FrameOf<T>[];
  /** Acknowledges a message and waits for the answer. */
  ack(messageId: string): Promise<boolean>;
  close(): Promise<Farewell>;
}

const patienceMillis = 300_000;

/** Opens the WebSocket; sends nothing. `url` is the relay's, with http or ws. */
export async function openStream(url: string, options: { headers?: Record<string, string> } = {}): Promise<TestStream> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}${streamPath}`, { headers: options.headers ?? {} });
  const stream = collect(socket);
  await once(socket, "open");
  return stream;
}

/** Opens a stream, authenticates and waits for the status frame. */
export async function openDeviceStream(url: string, token: string): Promise<TestStream> {
  const stream = await openStream(url);
  stream.send({ type: "auth", access_token: token });
  await stream.next("status");
  return stream;
}

function collect(socket: WebSocket): TestStream {
  const frames: ServerFrame[] = [];
  let passed = 0;
  const arrivals = new EventTarget();
  const closed = new Promise<Farewell>((resolve) => {
    socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
    arrivals.dispatchEvent(new Event("arrival"));
  });
  socket.on("error", () => socket.terminate());
  socket.on("message", (data: Buffer) => {
    const frame: unknown = JSON.parse(data.toString());
    if (!validateServerFrame(frame)) throw new Error(`outside the contract: ${data.toString().slice(0, 500)}`);
    frames.push(frame);
    arrivals.dispatchEvent(new Event("arrival"));
  });
  const changed = (millis: number) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, millis);
      arrivals.addEventListener("arrival", done, { once: true });
    });
  const until = async (type: ServerFrame["type"], millis: number) => {
    const deadline = performance.now() + millis;
    for (;;) {
      while (passed < frames.length) {
        const frame = frames[passed++];
        if (frame?.type === type) return frame;
      }
      const left = deadline - performance.now();
      if (isClosed || left <= 0) return undefined;
      await changed(left);
    }
  };

  const stream: TestStream = {
    socket,
    frames,
    closed,
    send: (frame) => socket.send(JSON.stringify(frame)),
    sendRaw: (data, binary = false) => socket.send(data, { binary }),
    async next(type, waitMillis = patienceMillis) {
      const frame = await until(type, waitMillis);
      if (frame !== undefined) return frame as FrameOf<typeof type>;
      throw new Error(`no ${type} frame came; frames so far: ${JSON.stringify(frames).slice(0, 2000)}`);
    },
    async none(type, millis = 600) {
      const frame = await until(type, millis);
      if (frame !== undefined) throw new Error(`an unexpected frame came: ${JSON.stringify(frame).slice(0, 500)}`);
    },
    all: (type) => frames.filter((frame): frame is FrameOf<typeof type> => frame.type === type),
    async ack(messageId) {
      stream.send({ type: "ack", message_id: messageId });
      return (await stream.next("ack_confirmed")).acknowledged;
    },
    async close() {
      socket.close();
      return closed;
    },
  };
  return stream;
}
