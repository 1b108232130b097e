import { openBareSocket, type SocketAddress } from "./bare-socket.js";

/** A stream with minimal effort: no WebSocket library, and frames are parsed only if somebody reads them. */
export interface RawStream {
  /**
   * Sends a frame of `framed`. Frames of one turn of the event loop are sent together, and must not change until then.
   */
  send(frame: Buffer): void;
  close(): void;
}

const opening = Buffer.from(
  [
    "GET /v1/stream HTTP/1.1",
    "Host: relay.bench",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    "\r\n",
  ].join("\r\n"),
);
const text = 0x81;
const ping = 0x89;
const masked = 0x80;
const length16 = 126;
const maskBytes = 4;

/** A client's text frame (RFC 6455, section 5.2), masked by zeros, which do not change its text. */
export function framed(payload: string): Buffer {
  const size = Buffer.byteLength(payload);
  const head =
    size < length16 ? Buffer.of(text, masked | size) : Buffer.of(text, masked | length16, size >> 8, size & 255);
  return Buffer.concat([head, Buffer.alloc(maskBytes), Buffer.from(payload)]);
}

/**
 * Opens and authenticates a stream. Resolves with the first frame; `onFrame` is called with each later frame, whose
 * memory is reused after the call.
 */
export async function openRawStream(
  at: SocketAddress,
  auth: { access_token: string; window?: number },
  onFrame: (payload: Buffer, stream: RawStream) => void,
): Promise<RawStream> {
  let settle: (payload: string) => void = () => undefined;
  let fail: (problem: Error) => void = () => undefined;
  const first = new Promise<string>((resolve, reject) => {
    [settle, fail] = [resolve, reject];
  });
  let isOpen = false;
  const frames = new Frames({
    text(payload) {
      if (isOpen) return onFrame(payload, stream);
      isOpen = true;
      settle(payload.toString());
    },
    ping: () => stream.send(pong),
  });
  const socket = await openBareSocket(at, { read: (bytes) => frames.take(bytes), ended: fail });
  const stream: RawStream = { send: (frame) => void socket.write(frame), close: () => socket.destroy() };
  stream.send(opening);
  stream.send(framed(JSON.stringify({ type: "auth", ...auth })));
  const frame = await first;
  if (frame.includes('"connected"')) return stream;
  stream.close();
  throw new Error(frame);
}

const nothing = Buffer.alloc(0);
const pong = Buffer.of(0x8a, masked, 0, 0, 0, 0);

/** Splits what a server sends into frames. */
class Frames {
  private readonly on: { text(payload: Buffer): void; ping(): void };
  private held: Buffer = nothing;
  private isUpgraded = false;

  constructor(on: Frames["on"]) {
    this.on = on;
  }

  /** The bytes are used only during this call. */
  take(bytes: Buffer): void {
    this.held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    if (this.isUpgraded || this.passHead()) while (this.passFrame());
    this.held = this.held.length === 0 ? nothing : Buffer.from(this.held);
  }

  private passHead(): boolean {
    const end = this.held.indexOf("\r\n\r\n");
    if (end < 0) return false;
    this.held = this.held.subarray(end + 4);
    this.isUpgraded = true;
    return true;
  }

  private passFrame(): boolean {
    const { held } = this;
    if (held.length < 2) return false;
    const short = held[1] as number;
    const head = short < length16 ? 2 : short === length16 ? 4 : 10;
    if (held.length < head) return false;
    const size = short < length16 ? short : short === length16 ? held.readUInt16BE(2) : Number(held.readBigUInt64BE(2));
    if (held.length < head + size) return false;
    const payload = held.subarray(head, head + size);
    this.held = held.subarray(head + size);
    if (held[0] === text) this.on.text(payload);
    else if (held[0] === ping) this.on.ping();
    return true;
  }
}
