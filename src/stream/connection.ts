import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { closeCodes, type ServerFrame } from "../../generated/frames.js";
import { inspectEveryMillis, Pace, type PaceRules } from "../platform/net/pace.js";
import { bytesTaken } from "../platform/net/socket-progress.js";
import type { CloseReason } from "./close-reason.js";
import { encodeFrame } from "./frames.js";

/** A peer that takes data more slowly than the pace allows is too slow. */
interface ConnectionRules extends PaceRules {
  /** The next message is sent only while less than this is buffered. */
  readonly bufferLimitBytes: number;
}

/** The WebSocket of one stream: sending, back-pressure, and whether the peer still reads. */
export class Connection {
  private readonly socket: WebSocket;
  private readonly transport: Socket;
  private readonly rules: ConnectionRules;
  private readonly onDrained: () => void;
  private corked = false;
  /** Null while nothing waits to be written. */
  private pace: Pace | null = null;
  private nextInspectionAt = 0;

  /** @param onDrained called once enough has been written after the buffer was full */
  constructor(sockets: { socket: WebSocket; transport: Socket }, rules: ConnectionRules, onDrained: () => void) {
    this.socket = sockets.socket;
    this.transport = sockets.transport;
    this.rules = rules;
    this.onDrained = onDrained;
  }

  get bytesReceived(): number {
    return this.transport.bytesRead;
  }

  /** Whether something waits to be written. */
  get pending(): boolean {
    return this.socket.bufferedAmount > 0;
  }

  /** Whether the next frame may be sent. */
  get writable(): boolean {
    return this.socket.bufferedAmount < this.rules.bufferLimitBytes;
  }

  /** Frames of one turn of the event loop are written together, with one system call. */
  send(frame: ServerFrame): void {
    this.sendText(encodeFrame(frame));
  }

  /** The same for a frame whose text already exists. */
  sendText(text: string | Buffer): void {
    this.cork();
    const fills = this.socket.bufferedAmount + text.length >= this.rules.bufferLimitBytes;
    if (fills) this.socket.send(text, { binary: false }, this.onDrained);
    else this.socket.send(text, { binary: false });
  }

  private cork(): void {
    if (this.corked) return;
    this.corked = true;
    this.transport.cork();
    process.nextTick(() => {
      this.corked = false;
      this.transport.uncork();
    });
  }

  ping(): void {
    this.socket.ping();
  }

  close(reason: CloseReason): void {
    const { code, reason: text } = closeCodes[reason];
    this.socket.close(code, text);
  }

  /** Ends the connection without a closing handshake. */
  terminate(): void {
    this.socket.terminate();
  }

  /** Pauses or resumes reading from the client. Data that has been read already still arrives. */
  listen(listening: boolean): void {
    if (this.socket.isPaused !== listening) return;
    if (listening) this.socket.resume();
    else this.socket.pause();
  }

  /** Whether data is waiting and the peer accepts it too slowly. Must be called several times a second. */
  stalled(now: number): boolean {
    if (now < this.nextInspectionAt) return false;
    this.nextInspectionAt = now + inspectEveryMillis(this.rules);
    const taken = bytesTaken(this.transport);
    if (!this.pending) this.pace = null;
    else if (this.pace === null) this.pace = new Pace(this.rules, taken);
    else return this.pace.inspect(taken);
    return false;
  }
}
