import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type {
  AuthFrame,
  ClientFrame,
  ErrorFrame,
  LargeMessage,
  SendResultFrame,
  StatusFrame,
} from "../../generated/frames.js";
import type { CommittedMessages, QueuedMessage, StreamSink } from "../messages/model/types.js";
import { shortDevice } from "../platform/logger.js";
import { type ErrorId, RelayError } from "../protocol/errors.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { demandAnnounced } from "./announced-device.js";
import { type CloseReason, closeReasonAfter } from "./close-reason.js";
import { Connection } from "./connection.js";
import { type AckAnswer, type AckRequest, Delivery, type DeliveryBounds, type DeliveryShared } from "./delivery.js";
import { windowSize } from "./flow-window.js";
import { encodeFrame, errorFrame, onlineFrame } from "./frames.js";
import { IncomingFrames } from "./incoming-frames.js";
import { Keepalive } from "./keepalive.js";
import { reconnectAfterSeconds } from "./reconnect-spread.js";
import type { Refusals, RefusalsOfDevices } from "./refusals.js";
import { Sends } from "./sends.js";
import { leavesTooManyQueued, paceOfReaders } from "./slow-readers.js";
import { laterToken } from "./token-renewal.js";
import type { StreamPrincipal } from "./types.js";

/** The server that holds a session, from the session's point of view. */
export interface SessionHost extends DeliveryShared {
  readonly refusals: RefusalsOfDevices;
  /** Makes the session its device's stream; throws RATE_LIMIT_EXCEEDED after too many replacements. */
  attach(session: Session): Promise<void>;
  /** Over how many seconds clients that are asked to leave now should return. */
  reconnectSpreadSeconds(): number;
  /** The session has authenticated and is open, or has ended; each is called once. */
  opened(session: Session): void;
  ended(session: Session): void;
}

type Phase = "waiting" | "opening" | "open" | "ended";

/** A stream that the server ends waits this long for the messages it is sending. */
const sendsEndMillis = 3_000;

/**
 * One WebSocket of one device, from the upgrade to the end.
 *
 *   waiting --valid token--> opening --attached--> open, and from each of these to ended
 *
 * It starts `waiting` for its auth frame. A valid token makes it `opening`: the device must hold an active address, and
 * the stream is attached as the device's current one, which ends the stream before it, on any node. With the first
 * status frame it is `open`, and delivery pushes. It is `ended` by the first of these: the client leaves; the token
 * expires or its session is revoked; a newer stream of the device replaces it; the client does not read, or does not
 * answer pings; too many frames violate the contract, or are refused in a row; the longest duration is reached; the
 * server drains. Once `ended`, nothing is sent, pushed or acknowledged, even if it was already in progress.
 *
 * Frames are handled in order, one after the other. An acknowledgement makes room for further messages when it is
 * handled, and is answered when it is committed; later frames do not wait for that. Acknowledgements are answered in
 * their order. Several messages of the client are sent at the same time, up to a limit. After many refusals in a row
 * the next frame waits.
 *
 * The session has no timers. The server's ticker calls `tick` for all sessions, and every deadline is checked there.
 */
export class Session implements StreamSink {
  readonly streamId: string;
  /** The unit by which its network address is counted. */
  readonly network: string;
  private readonly host: SessionHost;
  private readonly connection: Connection;
  private readonly incoming: IncomingFrames;
  private readonly keepalive: Keepalive;
  private readonly startedAt: number;
  private phase: Phase = "waiting";
  private principal: StreamPrincipal | undefined;
  private delivery: Delivery | undefined;
  /** The session's tokens, once the device is known. */
  private refusals: Refusals | undefined;
  private nextCheckAt = 0;
  private endedAt = 0;
  /** Whether the client's time to close the connection, after the server has ended the stream, is over. */
  private endsInItsTime = false;
  private bounds: DeliveryBounds;
  private readonly sends: Sends;
  /** The latest time at which a stream that is about to end does so. */
  private leaveBy: number | undefined;

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
    this.connection = new Connection(sockets, paceOfReaders(config), () => this.drained());
    this.incoming = new IncomingFrames(this.connection, config, {
      mayHandle: () => this.mayHandle(),
      handle: (frame) => this.handle(frame),
      outsideContract: () => this.refusedFrame(),
      tooManyFaults: () => this.end("outsideContract"),
      failed: (error) => this.failed(error),
    });
    this.bounds = { window: config.streamWindow, maxFrameBytes: Number.POSITIVE_INFINITY };
    this.sends = new Sends(host.deps, { result: (frame) => this.sent(frame) });
    this.keepalive = new Keepalive(
      {
        intervalMillis: config.keepaliveIntervalSeconds * 1000,
        missesAllowed: config.keepaliveMissesAllowed,
        leastBytes: config.slowestBytesPerSecond * config.keepaliveIntervalSeconds,
        controlFramesAllowed: config.streamControlFramesAllowed,
      },
      { now: this.startedAt, phase: random.fraction() },
    );
  }

  /** The device, once a token has identified it. */
  get deviceId(): string | undefined {
    return this.principal?.deviceId;
  }

  /** Whether it has not sent its auth frame. */
  get isWaiting(): boolean {
    return this.phase === "waiting";
  }

  get isOpen(): boolean {
    return this.phase === "open";
  }

  get hasEnded(): boolean {
    return this.phase === "ended";
  }

  /** A WebSocket message has arrived. */
  received(data: Buffer, isBinary: boolean): void {
    this.incoming.received(data, isBinary);
  }

  /** The peer has answered a ping, or has sent a pong that nobody asked for. */
  ponged(): void {
    this.keepalive.heard();
    this.pinged();
  }

  /** A ping has been answered, or another control frame has arrived. */
  pinged(): void {
    if (this.keepalive.admitsControlFrame()) return;
    this.host.deps.logger.debug({ device: shortDevice(this.deviceId ?? "") }, "a stream sent too many pings or pongs");
    this.terminate();
  }

  /** The socket is gone. */
  closed(): void {
    this.end();
  }

  arrived(event: CommittedMessages): void {
    this.delivery?.arrived(event);
  }

  /** Neither the window nor the queue knows of it. */
  online(message: QueuedMessage): void {
    if (!this.isOpen || !this.connection.writable) return;
    const text = encodeFrame(onlineFrame(message));
    if (text.length <= this.bounds.maxFrameBytes) this.connection.sendText(text);
  }

  wake(): void {
    this.delivery?.wake();
  }

  /** A newer stream of the device has taken over. */
  replaced(): void {
    // A stream that was asked to come back does so, even if nothing knows it any more.
    if (this.hasEnded || this.leaveBy !== undefined) return;
    this.connection.send(this.status("disconnected"));
    this.end("replaced");
  }

  /** Asks the client to reconnect after a random time, and closes the stream once its sends have their results. */
  leave(spreadSeconds: number): void {
    if (this.hasEnded || this.leaveBy !== undefined) return;
    const retryAfter = reconnectAfterSeconds(spreadSeconds, this.host.deps.random);
    this.connection.send(this.status("reconnecting", { retry_after: retryAfter }));
    if (this.sends.idle) this.end("goingAway");
    else {
      this.leaveBy = this.host.deps.clock.nowMillis() + sendsEndMillis;
      this.delivery?.stop();
    }
  }

  /** Ends a stream that has not authenticated in favour of another one. Its client has no time to close the connection. */
  makeWay(): void {
    this.refuse("OVERLOADED", "too many streams have not authenticated");
    this.endedAt = 0;
  }

  /** Ends the connection at once. */
  terminate(): void {
    this.end();
    this.connection.terminate();
  }

  /** Notifies the client if few key packages are left. */
  async keyPackagesChanged(): Promise<void> {
    const remaining = await this.keyPackages();
    if (!this.isOpen || remaining === undefined || remaining >= this.host.deps.config.keyPackagesLowMark) return;
    this.connection.send(this.status("connected", { key_packages_remaining: remaining }));
  }

  /** Checks every deadline; called several times a second. */
  tick(now: number): void {
    if (this.hasEnded) this.tickEnded(now);
    else this.tickActive(now);
  }

  private tickActive(now: number): void {
    const authBy = this.startedAt + this.host.deps.config.authFrameTimeoutSeconds * 1000;
    if (this.connection.stalled(now)) this.end("tooSlow");
    else if (!this.keepalive.check(this.connection, now)) this.terminate();
    else if (this.phase === "waiting" && now >= authBy) this.refuse("INVALID_TOKEN", "no auth frame came in time");
    else if (this.leaveBy !== undefined) this.tickLeaving(now);
    else if (this.isOpen) this.tickOpen(now);
    // A slowed-down stream may continue.
    this.incoming.workOn();
    this.incoming.throttle();
  }

  /**
   * A refused stream counts until its socket is gone, and a stream that was ended because of its frames may send more.
   * So a stream that does not complete the closing handshake is cut off.
   */
  private tickEnded(now: number): void {
    const { streamCloseTimeoutSeconds: seconds } = this.host.deps.config;
    if (!this.endsInItsTime && now - this.endedAt >= seconds * 1000) this.connection.terminate();
  }

  private tickLeaving(now: number): void {
    if (now >= (this.leaveBy ?? 0)) this.end("goingAway");
  }

  private tickOpen(now: number): void {
    const { config, isStillValid } = this.host.deps;
    const principal = this.principal as StreamPrincipal;
    const leaveAt = this.startedAt + config.connectionTimeoutSeconds * 1000;
    if (now >= principal.expiresAt * 1000) this.refuse("INVALID_TOKEN", "the token has expired");
    else if (!isStillValid(principal)) this.refuse("INVALID_TOKEN", "the session has been ended");
    else if (now >= leaveAt) this.leave(this.host.reconnectSpreadSeconds());
    else if (now >= this.nextCheckAt) this.checkDelivery(now);
  }

  /** Repeats a failed read. While delivery is paused, pushed messages may have expired or been acknowledged over HTTP. */
  private checkDelivery(now: number): void {
    this.nextCheckAt = now + this.host.deps.config.streamSafetyPollSeconds * 1000;
    this.delivery?.push();
    if (this.delivery?.paused !== true) return;
    this.checkPaused().catch((error: unknown) => {
      this.host.deps.logger.warn({ err: error }, "a paused stream could not check its queue");
    });
  }

  private async checkPaused(): Promise<void> {
    await this.delivery?.reconcile();
    if (this.delivery?.paused !== true || this.deviceId === undefined) return;
    if (await leavesTooManyQueued(this.deviceId, this.host.deps)) this.end("tooSlow");
  }

  private mayHandle(): boolean {
    const refusals = this.refusals?.room(this.host.deps.clock.nowMillis()) ?? Number.POSITIVE_INFINITY;
    return this.sends.hasRoom(refusals) && this.delivery?.full !== true && this.leaveBy === undefined;
  }

  /** Returns nothing if the frame has already been dealt with. */
  private handle(frame: ClientFrame): Promise<void> | undefined {
    if (frame.type === "auth") return this.authenticate(frame);
    if (!this.isOpen) this.refuse("INVALID_TOKEN", "the first frame must be auth");
    else if (isAcknowledgement(frame)) this.delivery?.acknowledge(frame);
    else if (frame.type === "send") this.sends.send(this.deviceId as string, frame);
    else this.connection.send(this.status("connected"));
    return undefined;
  }

  private sent(result: SendResultFrame): void {
    if (this.hasEnded) return;
    this.connection.send(result);
    if (result.status !== "rejected") this.refusals?.accepted();
    else if (!serverErrors.has(result.error ?? "")) this.refusedFrame();
    if (this.hasEnded) return;
    if (this.leaveBy !== undefined && this.sends.idle) this.end("goingAway");
    else this.incoming.workOn();
    this.incoming.throttle();
  }

  private refusedFrame(): void {
    const { clock, config } = this.host.deps;
    const now = clock.nowMillis();
    this.refusals?.refused(now);
    if (this.refusals?.isOver !== true) return;
    const window = {
      limit: config.streamRefusalsAtOnce,
      resetAt: clock.nowSeconds() + this.refusals.secondsLeft(now),
      now: clock.nowSeconds(),
    };
    this.fail(rateLimitExceeded("too many frames of this device were refused in a row", window), "tooManyRefusals");
  }

  private async authenticate(frame: AuthFrame): Promise<void> {
    try {
      const principal = await this.host.deps.authenticate(frame.access_token);
      if (this.hasEnded) return;
      this.bounds = {
        window: windowSize(frame.window ?? this.bounds.window, this.host.deps.config),
        maxFrameBytes: frame.max_frame_bytes ?? this.bounds.maxFrameBytes,
      };
      if (this.principal !== undefined) return this.renew(principal);
      this.principal = principal;
      this.refusals = this.host.refusals.of(principal.deviceId);
      this.phase = "opening";
      await this.open(principal.deviceId);
    } catch (error) {
      this.refused(error);
    }
  }

  private async open(deviceId: string): Promise<void> {
    await demandAnnounced(deviceId, this.host.deps);
    if (this.hasEnded) return;
    const stream = {
      deviceId,
      streamId: this.streamId,
      connection: this.connection,
      onEmpty: () => this.connection.send(this.status("connected", { queue_empty: true })),
      announce: (large: LargeMessage) => this.connection.send(this.status("connected", { large_message: large })),
      answer: (frame: AckAnswer) => this.connection.send(frame),
      onRoom: () => this.incoming.workOn(),
    };
    this.delivery = new Delivery(this.host, stream, this.bounds);
    await this.host.attach(this);
    const remaining = await this.keyPackages();
    if (this.hasEnded) return;
    this.phase = "open";
    this.endsInItsTime = true;
    this.nextCheckAt = this.host.deps.clock.nowMillis() + this.host.deps.config.streamSafetyPollSeconds * 1000;
    this.host.opened(this);
    const low = remaining === undefined ? {} : { key_packages_remaining: remaining };
    this.connection.send(this.status("connected", { ...low, ...this.granted() }));
    this.delivery.start();
  }

  /** Switches to a newer token of the same device. */
  private renew(principal: StreamPrincipal): void {
    this.principal = laterToken(this.principal as StreamPrincipal, principal, this.host.deps);
    this.connection.send(this.status("connected", this.granted()));
    this.delivery?.adjust(this.bounds);
  }

  private granted(): Partial<StatusFrame> {
    return { window: this.bounds.window, max_sends_in_flight: this.host.deps.config.streamSendsInFlight };
  }

  private async keyPackages(): Promise<number | undefined> {
    try {
      return await this.host.deps.keyPackagesRemaining?.(this.deviceId as string);
    } catch (error) {
      this.host.deps.logger.warn({ err: error }, "the number of key packages could not be read");
      return undefined;
    }
  }

  private failed(error: unknown): void {
    this.host.deps.logger.error({ err: error }, "a stream failed");
    this.fail(error, "unavailable");
  }

  private refused(error: unknown): void {
    const id = error instanceof RelayError ? error.id : "INTERNAL";
    if (id === "INTERNAL") this.host.deps.logger.error({ err: error }, "a stream could not be opened");
    this.fail(error, closeReasonAfter(id));
  }

  private refuse(id: ErrorId, message: string): void {
    this.refused(new RelayError(id, message));
  }

  private fail(error: unknown, reason: CloseReason): void {
    if (this.hasEnded) return;
    const frame: ErrorFrame = errorFrame(error);
    this.connection.send(frame);
    this.end(reason);
  }

  private end(reason?: CloseReason): void {
    if (this.hasEnded) return;
    this.phase = "ended";
    this.endedAt = this.host.deps.clock.nowMillis();
    if (reason === "outsideContract" || reason === "tooManyRefusals") this.endsInItsTime = false;
    this.incoming.stop();
    this.delivery?.stop();
    if (reason !== undefined) this.connection.close(reason);
    const device = shortDevice(this.deviceId ?? "");
    this.host.deps.logger.debug({ device, reason: reason ?? "gone" }, "stream ended");
    this.host.ended(this);
  }

  private drained(): void {
    if (this.hasEnded || !this.connection.writable) return;
    this.incoming.workOn();
    this.delivery?.push();
    this.incoming.throttle();
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

/** Errors that say nothing about the message, so the client is not to blame. */
const serverErrors: ReadonlySet<string> = new Set<ErrorId>(["DATABASE_UNAVAILABLE", "OVERLOADED", "INTERNAL"]);

function isAcknowledgement(frame: ClientFrame): frame is AckRequest {
  return frame.type === "ack" || frame.type === "ack_batch";
}
