import type { ClientFrame } from "../../generated/frames.js";
import type { Connection } from "./connection.js";
import { faultFrame, type Incoming, readFrame } from "./frames.js";

/** Maximum number of frames that wait before the socket is no longer read. */
const pendingLimit = 64;

/** What handles the frames of one stream. */
interface FrameHandler {
  /** Whether the next frame may be handled now. If not, `workOn` must be called once that has changed. */
  mayHandle(): boolean;
  /** Returns nothing if the frame has already been dealt with. */
  handle(frame: ClientFrame): Promise<void> | undefined;
  /** A frame violated the contract and has been answered. */
  outsideContract(): void;
  /** More frames violated the contract than are allowed. */
  tooManyFaults(): void;
  /** A frame could not be handled. */
  failed(error: unknown): void;
}

/**
 * The frames of one stream's client that wait to be handled, strictly in order, one after the other. Frames that
 * violate the contract are answered here and counted. If too many frames wait, or the client does not read the answers,
 * the socket is not read until that has changed.
 */
export class IncomingFrames {
  private readonly connection: Connection;
  private readonly rules: { readonly badFramesAllowed: number };
  private readonly handler: FrameHandler;
  private pending: Incoming[] = [];
  private busy = false;
  private faults = 0;
  private stopped = false;

  constructor(connection: Connection, rules: IncomingFrames["rules"], handler: FrameHandler) {
    this.connection = connection;
    this.rules = rules;
    this.handler = handler;
  }

  /** A WebSocket message has arrived. */
  received(data: Buffer, isBinary: boolean): void {
    if (this.stopped) return;
    this.pending.push(readFrame(data, isBinary));
    this.workOn();
    this.throttle();
  }

  /** Handles waiting frames, unless this is already in progress. */
  workOn(): void {
    if (!this.busy && this.mayHandle()) void this.work();
  }

  /** Stops or resumes reading from the socket. */
  throttle(): void {
    if (!this.stopped) this.connection.listen(this.pending.length < pendingLimit && this.connection.writable);
  }

  /** Drops the waiting frames and any that still arrive. */
  stop(): void {
    this.stopped = true;
    this.pending = [];
    // A paused socket would never see the peer's closing handshake.
    this.connection.listen(true);
  }

  /** Handles waiting frames, in order, until none is left or the client must read first. */
  private async work(): Promise<void> {
    this.busy = true;
    try {
      while (this.mayHandle()) {
        const handling = this.handleNext();
        if (handling !== undefined) await handling;
      }
    } catch (error) {
      this.handler.failed(error);
    } finally {
      this.busy = false;
      this.throttle();
    }
  }

  private mayHandle(): boolean {
    return !this.stopped && this.pending.length > 0 && this.handler.mayHandle() && this.connection.writable;
  }

  private handleNext(): Promise<void> | undefined {
    const incoming = this.pending.shift() as Incoming;
    if ("frame" in incoming) return this.handler.handle(incoming.frame);
    this.outsideContract(incoming);
    return undefined;
  }

  private outsideContract(incoming: { fault: string; path: string }): void {
    this.faults++;
    this.connection.send(faultFrame(incoming));
    if (this.faults > this.rules.badFramesAllowed) this.handler.tooManyFaults();
    else this.handler.outsideContract();
  }
}
