import { mebibyte } from "../protocol/units.js";

// Packets on a byte stream: each follows its length, 4 bytes, big-endian.

const headBytes = 4;
const packetLimitBytes = 8 * mebibyte;

export function frame(packet: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(headBytes + packet.length);
  framed.writeUInt32BE(packet.length);
  packet.copy(framed, headBytes);
  return framed;
}

/** Splits a stream into packets, in order. */
export class FrameReader {
  private readonly received: (packet: Buffer) => void;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private awaited = headBytes;

  constructor(received: (packet: Buffer) => void) {
    this.received = received;
  }

  /** Returns false if the stream holds anything other than packets; the caller must then close it. */
  read(chunk: Buffer): boolean {
    this.pending.push(chunk);
    this.pendingBytes += chunk.length;
    if (this.pendingBytes < this.awaited) return true;
    let bytes = this.pending.length === 1 ? chunk : Buffer.concat(this.pending);
    for (;;) {
      this.awaited = headBytes;
      if (bytes.length < headBytes) break;
      const length = bytes.readUInt32BE();
      if (length > packetLimitBytes) return false;
      this.awaited = headBytes + length;
      if (bytes.length < this.awaited) break;
      this.received(bytes.subarray(headBytes, this.awaited));
      bytes = bytes.subarray(this.awaited);
    }
    this.pending = bytes.length === 0 ? [] : [bytes];
    this.pendingBytes = bytes.length;
    return true;
  }
}
