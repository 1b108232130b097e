import { WebSocket } from "ws";
import { validateServerFrame } from "../../../generated/frame-validators.js";
import { type ServerFrame, streamPath } from "../../../generated/frames.js";
import { Broken, hold } from "./assertions.js";
import type { FrameOf, Stream } from "./types.js";

const timeoutMillis = 10_000;

/** Opens the WebSocket at a node's base address; sends nothing. */
export async function openStream(url: string): Promise<Stream> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}${streamPath}`);
  const inbox = new Inbox();
  socket.on("message", (data: Buffer) => inbox.add(data.toString()));
  const ended = new Promise<number>((resolve) => socket.once("close", (code) => resolve(code)));
  ended.then(() => inbox.wake());
  const opened = new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.on("error", (error) => reject(new Broken(`the stream could not be opened: ${error.message}`)));
  });
  await opened;

  const stream: Stream = {
    send: (frame) => socket.send(JSON.stringify(frame)),
    sendRaw: (data) => socket.send(data, { binary: typeof data !== "string" }),
    async next(type, waitMillis = timeoutMillis) {
      const frame = await inbox.take(type, waitMillis);
      hold(frame !== undefined, `no ${type} frame arrived`);
      return frame as FrameOf<typeof type>;
    },
    async none(type, millis = 500) {
      const frame = await inbox.take(type, millis);
      hold(frame === undefined, `an unexpected ${type} frame arrived`);
    },
    async acknowledge(messageId) {
      stream.send({ type: "ack", message_id: messageId });
      return (await stream.next("ack_confirmed")).acknowledged;
    },
    async closed() {
      const code = await Promise.race([ended, pause(timeoutMillis)]);
      hold(code !== undefined, "the stream was not closed");
      return code;
    },
    async end() {
      socket.terminate();
      await ended;
    },
  };
  return stream;
}

/** Received frames that have not been read yet. */
class Inbox {
  private readonly frames: ServerFrame[] = [];
  private readonly faults: string[] = [];
  private passed = 0;
  private readonly arrivals = new EventTarget();

  add(text: string): void {
    const frame = parse(text);
    if (validateServerFrame(frame)) this.frames.push(frame);
    else this.faults.push(text.slice(0, 200));
    this.wake();
  }

  wake(): void {
    this.arrivals.dispatchEvent(new Event("arrival"));
  }

  async take(type: ServerFrame["type"], millis: number): Promise<ServerFrame | undefined> {
    const deadline = performance.now() + millis;
    for (;;) {
      const [fault] = this.faults;
      if (fault !== undefined) throw new Broken(`received a frame outside the contract: ${fault}`);
      while (this.passed < this.frames.length) {
        const frame = this.frames[this.passed++];
        if (frame?.type === type) return frame;
      }
      const left = deadline - performance.now();
      if (left <= 0) return undefined;
      await this.changed(left);
    }
  }

  private changed(millis: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.arrivals.removeEventListener("arrival", done);
        resolve();
      };
      const timer = setTimeout(done, millis);
      this.arrivals.addEventListener("arrival", done, { once: true });
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pause(millis: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), millis).unref());
}
