import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { ClientFrame, ErrorFrame, StatusFrame } from "../../generated/frames.js";
import type { QueuedMessage, StreamSink } from "../messages/types.js";
import { shortDevice } from "../platform/logger.js";
import { type ErrorId, RelayError } from "../protocol/errors.js";
import { type AckRequest, Delivery, type DeliveryShared } from "./delivery.js";
import { errorFrame, faultFrame, type Incoming, readFrame } from "./frames.js";
import { Liveness } from "./liveness.js";
import type { StreamPrincipal } from "./options.js";
import { type CloseReason, Outlet } from "./outlet.js";

/** What a session tells the server that keeps it. */
export interface SessionHost extends DeliveryShared {
  /** Makes the session its device's stream; throws RATE_LIMIT_EXCEEDED after too many replacements. */
  attach(session: Session): Promise<void>;
  /** The session has authenticated and is open, or has ended; called for each once. */
  opened(session: Session): void;
  ended(session: Session): void;
}

type Phase = "waiting" | "opening" | "open" | "ended";

/** Frames that may wait for their turn before the socket is no longer read. */
const pendingLimit = 64;
/** A run of acknowledgements ends with the frame that reaches this many ids. */
const idsPerRun = 1000;

/**
 * One WebSocket of one device, from the upgrade to the end.
 *
 * It begins `waiting` for its auth frame. A good token makes it `opening`: the device must hold an active address, the
 * mailbox makes this stream the device's one (which ends the one before it, on whichever node), and with the first status
 * frame it is `open`. From then on delivery pushes. It is `ended` by whatever comes first: the client leaves; the token
 * expires or its session is revoked; a newer stream of the device replaces it; the client does not read, or does not
 * answer pings; frames outside the contract; the longest duration; the server drains. In `ended` nothing is sent, pushed
 * or acknowledged any more, whatever is still under way.
 *
 * Frames are handled strictly in order, one after the other. The only exception is a run of acknowledgements that have
 * piled up while an earlier one was being committed: they are committed together and answered in their order. Where too
 * many frames wait, or the client does not read the answers, the socket is not read until that has changed.
 *
 * The session has no timers. The server's ticker calls `tick` for all sessions, and every deadline is compared there.
 */
export class Session implements StreamSink {
  readonly streamId: string;
  /** The unit by which its network address is counted. */
  readonly network: string;
  private readonly host: SessionHost;
  private readonly outlet: Outlet;
  private readonly liveness: Liveness;
  private readonly startedAt: number;
  private phase: Phase = "waiting";
  private principal: StreamPrincipal | undefined;
  private delivery: Delivery | undefined;
  private pending: Incoming[] = [];
  private busy = false;
  private faults = 0;
  private nextLookAt = 0;
  private endedAt = 0;
  private wasOpen = false;

  constructor(
    host: SessionHost,
    sockets: { socket: WebSocket; transport: Socket },
    given: { streamId: string; network: string },
  ) {
    const { clock, config, random } = host.deps;
    this.host = host;
    this.streamId = given.streamId;
    this.network = given.network;
    this.startedAt = clock.nowMillis();
    this.outlet = new Outlet(
      sockets,
      { bufferLimitBytes: config.streamBufferBytes, drainTimeoutMillis: config.streamDrainTimeoutSeconds * 1000 },
      { drained: () => this.drained(), now: this.startedAt },
    );
    this.liveness = new Liveness(
      { intervalMillis: config.keepaliveIntervalSeconds * 1000, missesAllowed: config.keepaliveMissesAllowed },
      { now: this.startedAt, phase: random.fraction() },
    );
  }

  /** The device, once the token has told it. */
  get deviceId(): string | undefined {
    return this.principal?.deviceId;
  }

  get isOpen(): boolean {
    return this.phase === "open";
  }

  get hasEnded(): boolean {
    return this.phase === "ended";
  }

  /** A WebSocket message has come. */
  received(data: Buffer, isBinary: boolean): void {
    if (this.hasEnded) return;
    this.pending.push(readFrame(data, isBinary));
    if (!this.busy) void this.work();
    this.throttle();
  }

  /** The peer has answered a ping. */
  ponged(): void {
    this.liveness.heard();
  }

  /** The socket is gone. */
  closed(): void {
    this.end();
  }

  arrived(event: { from: number; head: number; messages: QueuedMessage[] }): void {
    this.delivery?.arrived(event);
  }

  wake(): void {
    this.delivery?.wake();
  }

  /** A newer stream of the device has taken over. */
  replaced(): void {
    if (this.hasEnded) return;
    this.outlet.send(this.status("disconnected"));
    this.end("replaced");
  }

  /** Sends the client away, to come back at a moment of its own. */
  leave(): void {
    if (this.hasEnded) return;
    const { config, random } = this.host.deps;
    const retryAfter = Math.round((1 + random.fraction() * config.reconnectSpreadSeconds) * 10) / 10;
    this.outlet.send(this.status("reconnecting", { retry_after: retryAfter }));
    this.end("goingAway");
  }

  /** Ends the connection at once. */
  terminate(): void {
    this.end();
    this.outlet.terminate();
  }

  /** Tells the client that few key packages are left, if so. */
  async keyPackagesChanged(): Promise<void> {
    const remaining = await this.keyPackages();
    if (!this.isOpen || remaining === undefined || remaining >= this.host.deps.config.keyPackagesLowMark) return;
    this.outlet.send(this.status("connected", { key_packages_remaining: remaining }));
  }

  /** Compares every deadline with the present; called several times a second. */
  tick(now: number): void {
    if (this.hasEnded) this.tickEnded(now);
    else this.tickLiving(now);
  }

  private tickLiving(now: number): void {
    const authBy = this.startedAt + this.host.deps.config.authFrameTimeoutSeconds * 1000;
    if (this.outlet.stalled(now)) this.end("tooSlow");
    else if (!this.liveness.check(this.outlet, now)) this.terminate();
    else if (this.phase === "waiting" && now >= authBy) this.refuse("INVALID_TOKEN", "No auth frame came in time.");
    else if (this.isOpen) this.tickOpen(now);
    this.throttle();
  }

  /** One that was refused and does not answer the farewell is not waited for: until its socket is gone it has a place. */
  private tickEnded(now: number): void {
    const { streamCloseTimeoutSeconds: seconds } = this.host.deps.config;
    if (!this.wasOpen && now - this.endedAt >= seconds * 1000) this.outlet.terminate();
  }

  private tickOpen(now: number): void {
    const { config, stands } = this.host.deps;
    const principal = this.principal as StreamPrincipal;
    const leaveAt = this.startedAt + config.connectionTimeoutSeconds * 1000;
    if (now >= principal.expiresAt * 1000) this.refuse("INVALID_TOKEN", "The token has expired.");
    else if (!stands(principal)) this.refuse("INVALID_TOKEN", "The session has been ended.");
    else if (now >= leaveAt) this.leave();
    else if (now >= this.nextLookAt) this.lookAfter(now);
  }

  /** Repeats what failed; while delivery is paused, pushed messages may have left the queue by another door. */
  private lookAfter(now: number): void {
    this.nextLookAt = now + this.host.deps.config.streamSafetyPollSeconds * 1000;
    this.delivery?.push();
    if (this.delivery?.paused !== true) return;
    this.whilePaused().catch((error: unknown) => {
      this.host.deps.logger.warn({ err: error }, "a paused stream could not look at its queue");
    });
  }

  private async whilePaused(): Promise<void> {
    const { messages, config } = this.host.deps;
    await this.delivery?.reconcile();
    if (this.delivery?.paused !== true || this.deviceId === undefined) return;
    const waiting = await messages.countQueued(this.deviceId);
    if (waiting > config.maxMessageBacklog) this.end("tooSlow");
  }

  /** Handles what waits, in order, until nothing does or the client must first read. */
  private async work(): Promise<void> {
    this.busy = true;
    try {
      while (!this.hasEnded && this.outlet.writable && this.pending.length > 0) await this.handleNext();
    } catch (error) {
      this.host.deps.logger.error({ err: error }, "a stream failed");
      this.fail(error, "unavailable");
    } finally {
      this.busy = false;
      this.throttle();
    }
  }

  private async handleNext(): Promise<void> {
    const run = this.takeAcknowledgements();
    if (run.length > 0) return this.acknowledge(run);
    const incoming = this.pending.shift() as Incoming;
    if ("fault" in incoming) this.outsideContract(incoming);
    else if (incoming.frame.type === "auth") await this.authenticate(incoming.frame.access_token);
    else if (this.isOpen) this.outlet.send(this.status("connected"));
    else this.refuse("INVALID_TOKEN", "The first frame must be auth.");
  }

  /** The acknowledgements at the front, once the stream is open, up to a number of ids. */
  private takeAcknowledgements(): AckRequest[] {
    const run: AckRequest[] = [];
    let ids = 0;
    while (this.isOpen && ids < idsPerRun) {
      const first = this.pending[0];
      if (first === undefined || "fault" in first || !isAcknowledgement(first.frame)) break;
      this.pending.shift();
      run.push(first.frame);
      ids += first.frame.type === "ack" ? 1 : first.frame.message_ids.length;
    }
    return run;
  }

  private async acknowledge(run: AckRequest[]): Promise<void> {
    const answers = (await this.delivery?.acknowledge(run)) ?? [];
    if (this.hasEnded) return;
    for (const answer of answers) this.outlet.send(answer);
    this.delivery?.push();
  }

  private outsideContract(incoming: { fault: string; path: string }): void {
    this.faults++;
    this.outlet.send(faultFrame(incoming));
    if (this.faults > this.host.deps.config.badFramesAllowed) this.end("outsideContract");
  }

  private async authenticate(token: string): Promise<void> {
    try {
      const principal = await this.host.deps.authenticate(token);
      if (this.hasEnded) return;
      if (this.principal !== undefined) return this.renew(principal);
      this.principal = principal;
      this.phase = "opening";
      await this.open(principal.deviceId);
    } catch (error) {
      this.refused(error);
    }
  }

  private async open(deviceId: string): Promise<void> {
    if (!(await this.host.deps.hasActiveAddress(deviceId))) {
      throw new RelayError("DEVICE_NOT_ANNOUNCED", "The device holds no active address.");
    }
    if (this.hasEnded) return;
    this.delivery = new Delivery(this.host, {
      deviceId,
      streamId: this.streamId,
      outlet: this.outlet,
      onEmpty: () => this.outlet.send(this.status("connected", { queue_empty: true })),
    });
    await this.host.attach(this);
    const remaining = await this.keyPackages();
    if (this.hasEnded) return;
    this.phase = "open";
    this.wasOpen = true;
    this.nextLookAt = this.host.deps.clock.nowMillis() + this.host.deps.config.streamSafetyPollSeconds * 1000;
    this.host.opened(this);
    this.outlet.send(this.status("connected", remaining === undefined ? {} : { key_packages_remaining: remaining }));
    this.delivery.start();
  }

  /** Takes over a newer token of the same device. */
  private renew(principal: StreamPrincipal): void {
    const current = this.principal as StreamPrincipal;
    if (principal.deviceId !== current.deviceId) {
      throw new RelayError("INVALID_TOKEN", "The token is another device's.");
    }
    const newer = principal.expiresAt >= current.expiresAt || !this.host.deps.stands(current);
    if (newer) this.principal = principal;
    this.outlet.send(this.status("connected"));
  }

  private async keyPackages(): Promise<number | undefined> {
    try {
      return await this.host.deps.keyPackagesRemaining?.(this.deviceId as string);
    } catch (error) {
      this.host.deps.logger.warn({ err: error }, "the number of key packages could not be read");
      return undefined;
    }
  }

  private refused(error: unknown): void {
    const id = error instanceof RelayError ? error.id : "INTERNAL";
    if (id === "INTERNAL") this.host.deps.logger.error({ err: error }, "a stream could not be opened");
    this.fail(error, refusals[id] ?? "unavailable");
  }

  private refuse(id: ErrorId, message: string): void {
    this.refused(new RelayError(id, message));
  }

  private fail(error: unknown, reason: CloseReason): void {
    if (this.hasEnded) return;
    const frame: ErrorFrame = errorFrame(error);
    this.outlet.send(frame);
    this.end(reason);
  }

  private end(reason?: CloseReason): void {
    if (this.hasEnded) return;
    this.phase = "ended";
    this.endedAt = this.host.deps.clock.nowMillis();
    this.pending = [];
    this.delivery?.stop();
    // A paused socket would never see the peer's farewell.
    this.outlet.listen(true);
    if (reason !== undefined) this.outlet.close(reason);
    const device = shortDevice(this.deviceId ?? "");
    this.host.deps.logger.debug({ device, reason: reason ?? "gone" }, "stream ended");
    this.host.ended(this);
  }

  private drained(): void {
    if (this.hasEnded || !this.outlet.writable) return;
    if (!this.busy && this.pending.length > 0) void this.work();
    this.delivery?.push();
    this.throttle();
  }

  private throttle(): void {
    if (!this.hasEnded) this.outlet.listen(this.pending.length < pendingLimit && this.outlet.writable);
  }

  private status(status: StatusFrame["status"], more: Partial<StatusFrame> = {}): StatusFrame {
    const { clock, config } = this.host.deps;
    return {
      type: "status",
      status,
      server_timestamp: clock.nowSeconds(),
      next_poll_fallback: config.nextPollFallbackSeconds,
      ...more,
    };
  }
}

/** The close code that follows an error. */
const refusals: Partial<Record<ErrorId, CloseReason>> = {
  INVALID_TOKEN: "invalidToken",
  DEVICE_NOT_ANNOUNCED: "notAnnounced",
  RATE_LIMIT_EXCEEDED: "tooManyReplacements",
};

function isAcknowledgement(frame: ClientFrame): frame is AckRequest {
  return frame.type === "ack" || frame.type === "ack_batch";
}
