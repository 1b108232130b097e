// A WebSocket client (RFC 6455) for Node.js 20, which has none. It needs Node's own modules only, so it also works in a program that was bundled
// into one file, and it says when bytes arrive, of which the WebSockets of platforms tell nothing until a message is whole.

import type { concatBytes, encodeBase64, utf8 } from "../../protocol/encodings.js";
import type { builtinModule } from "./builtin-module.js";

/** Passed in, not imported: bundlers would move shared modules into a separate chunk that every page loads. */
interface Parts {
  builtinModule: typeof builtinModule;
  concatBytes: typeof concatBytes;
  encodeBase64: typeof encodeBase64;
  utf8: typeof utf8;
}

let shared: Parts;

/** The parts of Node's modules that are used. */
interface NodeSocket {
  on(event: "data", listener: (bytes: Uint8Array) => void): this;
  on(event: "error" | "close" | "end", listener: () => void): this;
  write(bytes: Uint8Array): void;
  end(): void;
  destroy(): void;
  setNoDelay(on: boolean): void;
  unref(): void;
}
interface NodeAnswer {
  statusCode: number;
  headers: Readonly<Record<string, string | undefined>>;
  resume(): void;
}
interface NodeRequest {
  on(event: "upgrade", listener: (answer: NodeAnswer, socket: NodeSocket, head: Uint8Array) => void): this;
  on(event: "response", listener: (answer: NodeAnswer) => void): this;
  on(event: "error", listener: (problem: Error) => void): this;
  end(): void;
  destroy(): void;
}
interface NodeHttp {
  request(url: string, options: { headers: Record<string, string>; agent: false }): NodeRequest;
}
interface NodeCrypto {
  createHash(name: "sha1"): { update(text: string): { digest(form: "base64"): string } };
}

const continuationFrame = 0;
const textFrame = 1;
const binaryFrame = 2;
const closeFrame = 8;
const pingFrame = 9;
const pongFrame = 10;
const normalClosure = 1000;
const protocolError = 1002;
const noCode = 1005;
const brokenConnection = 1006;
const notUtf8 = 1007;
const tooLarge = 1009;
/** Larger messages than any relay allows. */
const mostBytes = 256 * 1024 * 1024;
/** How long the other side may take to close. */
const closingMillis = 2_000;
const leastBuffer = 4_096;
const keySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Whether the platform is a Node.js without a WebSocket of its own. */
export function nodeSocketClass(parts: Parts): typeof NodeWebSocket | undefined {
  shared = parts;
  return shared.builtinModule("node:http") === undefined ? undefined : NodeWebSocket;
}

class NodeWebSocket {
  onopen: ((event: unknown) => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  readonly #request: NodeRequest;
  readonly #frames = new FrameReader();
  #socket: NodeSocket | undefined;
  #message: Message | undefined;
  #heard = 0;
  #isClosing = false;
  #isOver = false;
  #end: { code: number; reason: string } = { code: brokenConnection, reason: "" };

  constructor(url: string) {
    const key = shared.encodeBase64(crypto.getRandomValues(new Uint8Array(16)));
    const http = shared.builtinModule<NodeHttp>(url.startsWith("wss:") ? "node:https" : "node:http") as NodeHttp;
    const headers = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Key": key,
      "Sec-WebSocket-Version": "13",
    };
    this.#request = http.request(url.replace(/^ws/, "http"), { headers, agent: false });
    this.#request
      .on("upgrade", (answer, socket, head) => this.#begin({ answer, socket, head, key }))
      .on("response", (answer) => {
        answer.resume();
        this.#fail(`HTTP ${answer.statusCode}`);
      })
      .on("error", (problem) => this.#fail(problem.message));
    this.#request.end();
  }

  /** How many bytes have arrived. */
  bytesHeard(): number {
    return this.#heard;
  }

  send(data: string): void {
    if (!this.#isClosing) this.#write(textFrame, shared.utf8(data));
  }

  close(code = normalClosure, reason = ""): void {
    if (this.#isClosing) return;
    if (this.#socket === undefined) {
      this.#fail("closed");
    } else {
      this.#isClosing = true;
      this.#write(closeFrame, shared.concatBytes(new Uint8Array([code >> 8, code & 0xff]), shared.utf8(reason)));
      this.#endSoon();
    }
  }

  /** Breaks the connection without a word. */
  terminate(): void {
    this.#socket?.destroy();
    this.#request.destroy();
  }

  #begin({
    answer,
    socket,
    head,
    key,
  }: {
    answer: NodeAnswer;
    socket: NodeSocket;
    head: Uint8Array;
    key: string;
  }): void {
    const { createHash } = shared.builtinModule<NodeCrypto>("node:crypto") as NodeCrypto;
    const accepted = createHash("sha1")
      .update(key + keySuffix)
      .digest("base64");
    socket.on("error", () => socket.destroy()).on("close", () => this.#over());
    if (this.#isOver || answer.headers["sec-websocket-accept"] !== accepted) {
      socket.destroy();
      this.#fail("no WebSocket");
    } else {
      this.#socket = socket;
      socket.setNoDelay(true);
      socket.on("data", (bytes) => this.#hear(bytes)).on("end", () => socket.end());
      this.onopen?.({});
      if (head.length > 0) this.#hear(head);
    }
  }

  #hear(bytes: Uint8Array): void {
    this.#heard += bytes.length;
    this.#frames.add(bytes);
    for (let frame = this.#frames.next(); frame !== undefined && !this.#isOver; frame = this.#frames.next())
      if (typeof frame === "number") this.#breakOff(frame);
      else this.#receive(frame);
  }

  #receive({ opcode, isLast, payload }: Frame): void {
    const isFirst = opcode === textFrame || opcode === binaryFrame;
    if (opcode === pingFrame) this.#write(pongFrame, payload);
    else if (opcode === closeFrame) this.#closed(payload);
    else if (isFirst && this.#message === undefined)
      this.#collect({ isText: opcode === textFrame, parts: [], bytes: 0 }, { isLast, payload });
    else if (opcode === continuationFrame && this.#message !== undefined)
      this.#collect(this.#message, { isLast, payload });
    else if (opcode !== pongFrame) this.#breakOff(protocolError);
  }

  #collect(message: Message, { isLast, payload }: { isLast: boolean; payload: Uint8Array }): void {
    message.parts.push(payload);
    message.bytes += payload.length;
    this.#message = isLast ? undefined : message;
    if (message.bytes > mostBytes) this.#breakOff(tooLarge);
    else if (isLast) this.#tell(message);
  }

  #tell({ isText, parts }: Message): void {
    const [only] = parts;
    const bytes = only !== undefined && parts.length === 1 ? only : shared.concatBytes(...parts);
    const data = isText ? textOf(bytes) : bytes;
    if (data === undefined) this.#breakOff(notUtf8);
    else this.onmessage?.({ data });
  }

  #closed(payload: Uint8Array): void {
    const [high, low] = payload;
    const code = high === undefined || low === undefined ? noCode : high * 256 + low;
    this.#end = { code, reason: new TextDecoder().decode(payload.subarray(2)) };
    if (!this.#isClosing) this.#write(closeFrame, payload.subarray(0, 2));
    this.#isClosing = true;
    this.#socket?.end();
    this.#endSoon();
  }

  #breakOff(code: number): void {
    this.close(code);
    this.#end = { code: brokenConnection, reason: `against RFC 6455: ${code}` };
    this.#socket?.end();
  }

  #write(opcode: number, payload: Uint8Array): void {
    this.#socket?.write(maskedFrame(opcode, payload));
  }

  /** Neither the timer nor the socket keeps the process from ending. */
  #endSoon(): void {
    const timer = setTimeout(() => this.#socket?.destroy(), closingMillis) as unknown as { unref?(): void };
    timer.unref?.();
    this.#socket?.unref();
  }

  #fail(reason: string): void {
    this.#end = { code: brokenConnection, reason };
    if (!this.#isOver) this.onerror?.({});
    this.#request.destroy();
    this.#over();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isClosing = true;
    // As with other WebSockets, nobody is told within the call that closes one.
    queueMicrotask(() => this.onclose?.(this.#end));
  }
}

/** A message of which frames have arrived. */
interface Message {
  isText: boolean;
  parts: Uint8Array[];
  bytes: number;
}

interface Frame {
  opcode: number;
  isLast: boolean;
  payload: Uint8Array;
}

/** Takes bytes as they come, and gives whole frames, or the close code for a frame that may not be. */
class FrameReader {
  #bytes = new Uint8Array();
  #begin = 0;
  #size = 0;

  add(bytes: Uint8Array): void {
    const end = this.#begin + this.#size;
    if (end + bytes.length > this.#bytes.length) {
      // Twice as large each time, so that the parts of a large frame are copied once or twice.
      const grown = new Uint8Array(Math.max(leastBuffer, 2 * this.#size, this.#size + bytes.length));
      grown.set(this.#bytes.subarray(this.#begin, end));
      this.#bytes = grown;
      this.#begin = 0;
    }
    this.#bytes.set(bytes, this.#begin + this.#size);
    this.#size += bytes.length;
  }

  next(): Frame | number | undefined {
    if (this.#size < 2) return undefined;
    const view = new DataView(this.#bytes.buffer, this.#begin, this.#size);
    const [first, second] = [view.getUint8(0), view.getUint8(1)];
    // A server masks nothing, and no extension was agreed on.
    if ((first & 0x70) !== 0 || (second & 0x80) !== 0) return protocolError;
    const short = second & 0x7f;
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (this.#size < header) return undefined;
    const length = short < 126 ? short : short === 126 ? view.getUint16(2) : Number(view.getBigUint64(2));
    const isControl = (first & 0x08) !== 0;
    if (isControl && (length > 125 || (first & 0x80) === 0)) return protocolError;
    if (length > mostBytes) return tooLarge;
    if (this.#size < header + length) return undefined;
    const begin = this.#begin + header;
    const payload = this.#bytes.slice(begin, begin + length);
    this.#begin += header + length;
    this.#size -= header + length;
    if (this.#size === 0) {
      this.#begin = 0;
      this.#bytes = new Uint8Array();
    }
    return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload };
  }
}

function maskedFrame(opcode: number, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const begin = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = new Uint8Array(begin + 4 + length);
  const view = new DataView(frame.buffer);
  view.setUint8(0, 0x80 | opcode);
  view.setUint8(1, 0x80 | (begin === 2 ? length : begin === 4 ? 126 : 127));
  if (begin === 4) view.setUint16(2, length);
  if (begin === 10) view.setBigUint64(2, BigInt(length));
  const mask = crypto.getRandomValues(new Uint8Array(4));
  frame.set(mask, begin);
  for (let i = 0; i < length; i++) frame[begin + 4 + i] = (payload[i] as number) ^ (mask[i & 3] as number);
  return frame;
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
