import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { streamPath } from "../../generated/frames.js";
import { overloaded, RelayError } from "../protocol/errors.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { errorAnswer } from "../protocol/raw-error-answer.js";
import type { HoldBudget } from "./backlog.js";
import { ReadSlots } from "./read-slots.js";
import { spreadSecondsOf } from "./reconnect-spread.js";
import { RefusalsOfDevices } from "./refusals.js";
import { Session, type SessionHost } from "./session.js";
import { StreamLimits } from "./stream-limits.js";
import type { StreamDeps } from "./types.js";

export type { StreamConfig, StreamDeps, StreamPrincipal } from "./types.js";

/** The streams of this node. */
export interface StreamServer {
  /** Takes over the upgrade of an HTTP request; refuses every path but the stream's. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Notifies a device's stream on this node, if there is one, that its key packages have changed. */
  keyPackagesChanged(deviceId: string): Promise<void>;
  /** Asks all streams to reconnect, since the database that they have read from has gone back. */
  reconnectAll(): void;
  /** Number of streams that have authenticated. */
  connectionCount(): number;
  /** Accepts no new streams and asks the open ones to reconnect, some at a time; resolves when all are closed. */
  drain(): Promise<void>;
  /** Ends everything at once. */
  stop(): Promise<void>;
}

const tickMillis = 250;
const drainBatch = 200;
const drainPauseMillis = 50;
/** How long a draining server waits for the clients' side of the closing handshakes. */
const closingMillis = 5_000;
const drainRetrySeconds = 5;

/** Starts the stream server (specification, "Events"; spec/asyncapi.yaml). Its ticker starts at once. */
export function createStreamServer(deps: StreamDeps): StreamServer {
  return new Streams(deps);
}

class Streams implements StreamServer, SessionHost {
  readonly deps: StreamDeps;
  readonly budget: HoldBudget;
  readonly reads: ReadSlots;
  readonly refusals: RefusalsOfDevices;
  private readonly limits: StreamLimits;
  private readonly sockets: WebSocketServer;
  private readonly sessions = new Map<WebSocket, Session>();
  private readonly open = new Map<string, Session>();
  private readonly attached = new Set<Session>();
  private readonly unauthenticated = new Set<Session>();
  private readonly detaching = new Set<Promise<void>>();
  private readonly ticker: NodeJS.Timeout;
  private draining = false;

  constructor(deps: StreamDeps) {
    const { config } = deps;
    this.deps = deps;
    this.budget = { limitBytes: config.streamHeldBytes, usedBytes: 0 };
    this.reads = new ReadSlots(config.streamConcurrentReads);
    this.refusals = new RefusalsOfDevices(config);
    this.limits = new StreamLimits(config);
    this.sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: config.frameLimitBytes,
    });
    this.sockets.on("wsClientError", (error, socket, request) => refuseUpgrade(socket, badHandshake(error, request)));
    this.ticker = setInterval(() => this.tick(), tickMillis);
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const network = this.deps.networkKey(request);
    const refusal = this.refusal(request, network);
    if (refusal === undefined) this.shakeHands({ request, socket, head }, network);
    else refuseUpgrade(socket, refusal);
  }

  async keyPackagesChanged(deviceId: string): Promise<void> {
    await this.open.get(deviceId)?.keyPackagesChanged();
  }

  reconnectAll(): void {
    const spreadSeconds = this.reconnectSpreadSeconds();
    for (const session of this.sessions.values()) session.leave(spreadSeconds);
  }

  connectionCount(): number {
    return this.open.size;
  }

  async drain(): Promise<void> {
    this.draining = true;
    const sessions = [...this.sessions.values()];
    const spreadSeconds = this.reconnectSpreadSeconds();
    for (let from = 0; from < sessions.length; from += drainBatch) {
      if (from > 0) await wait(drainPauseMillis);
      for (const session of sessions.slice(from, from + drainBatch)) session.leave(spreadSeconds);
    }
    for (let waited = 0; this.sessions.size > 0 && waited < closingMillis; waited += drainPauseMillis) {
      await wait(drainPauseMillis);
    }
    await this.stop();
  }

  async stop(): Promise<void> {
    this.draining = true;
    clearInterval(this.ticker);
    for (const session of this.sessions.values()) session.terminate();
    await Promise.all(this.detaching);
  }

  async attach(session: Session): Promise<void> {
    const deviceId = session.deviceId as string;
    await this.deps.messages.attach(deviceId, session.streamId, session);
    if (session.hasEnded) this.detach(session);
    else this.attached.add(session);
  }

  reconnectSpreadSeconds(): number {
    return spreadSecondsOf(this.sessions.size, this.deps.config);
  }

  opened(session: Session): void {
    this.open.set(session.deviceId as string, session);
    this.authenticated(session);
  }

  ended(session: Session): void {
    const deviceId = session.deviceId;
    if (deviceId !== undefined && this.open.get(deviceId) === session) this.open.delete(deviceId);
    if (this.attached.delete(session)) this.detach(session);
  }

  /** The reason to refuse the upgrade; undefined if it is accepted, and then it is counted. */
  private refusal(request: IncomingMessage, network: string): RelayError | undefined {
    const path = request.url?.split("?", 1)[0];
    if (path !== streamPath) return new RelayError("NOT_FOUND", "there is no stream at this path");
    if (request.headers.host === undefined) return new RelayError("INVALID_REQUEST", "the header Host is missing");
    if (this.draining) return overloaded("the server is shutting down", drainRetrySeconds);
    const full = this.limits.enter(network, () => this.endOldestUnauthenticated());
    if (full === undefined) return undefined;
    const { limit, message } = full;
    return limit === null ? overloaded(message, drainRetrySeconds) : this.tooMany(message, limit);
  }

  /** The limit is free again, at the latest, when the streams that count have failed to authenticate in time. */
  private tooMany(message: string, limit: number): RelayError {
    const { clock, config } = this.deps;
    const now = clock.nowSeconds();
    return rateLimitExceeded(message, { limit, resetAt: now + config.authFrameTimeoutSeconds, now });
  }

  private shakeHands(upgrade: { request: IncomingMessage; socket: Duplex; head: Buffer }, network: string): void {
    const { request, socket, head } = upgrade;
    const forget = () => this.forget(network);
    // If the handshake fails, the socket ends without ever having become a stream.
    socket.once("close", forget);
    this.sockets.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off("close", forget);
      this.begin(webSocket, socket as Socket, network);
    });
  }

  private begin(webSocket: WebSocket, transport: Socket, network: string): void {
    const given = { streamId: this.deps.random.uuid(), network };
    const session = new Session(this, { socket: webSocket, transport }, given);
    this.sessions.set(webSocket, session);
    this.unauthenticated.add(session);
    webSocket.on("message", (data: Buffer, isBinary: boolean) => session.received(data, isBinary));
    webSocket.on("pong", () => session.ponged());
    webSocket.on("ping", () => session.pinged());
    // The close code after an error names its reason.
    webSocket.on("error", () => session.closed());
    webSocket.on("close", () => {
      session.closed();
      this.sessions.delete(webSocket);
      // A refused stream counts for its address until its socket is gone.
      this.authenticated(session);
      this.limits.leave();
    });
  }

  private authenticated(session: Session): void {
    if (this.unauthenticated.delete(session)) this.limits.authenticated(session.network);
  }

  /** Nobody keeps all others out by opening streams without authenticating them. */
  private endOldestUnauthenticated(): boolean {
    for (const session of this.unauthenticated) {
      if (!session.isWaiting) continue;
      session.makeWay();
      this.authenticated(session);
      return true;
    }
    return false;
  }

  private forget(network: string): void {
    this.limits.authenticated(network);
    this.limits.leave();
  }

  private detach(session: Session): void {
    const detached = this.deps.messages
      .detach(session.deviceId as string, session.streamId)
      .catch((error: unknown) => this.deps.logger.warn({ err: error }, "a stream could not be detached"))
      .finally(() => this.detaching.delete(detached));
    this.detaching.add(detached);
  }

  private tick(): void {
    const now = this.deps.clock.nowMillis();
    for (const session of this.sessions.values()) session.tick(now);
  }
}

/** Answers an upgrade request with an error of the catalogue and closes the connection. */
function refuseUpgrade(socket: Duplex, error: RelayError): void {
  const { status } = error;
  // The client may already have gone; then nobody reads the answer.
  socket.on("error", () => socket.destroy());
  socket.once("finish", () => socket.destroy());
  socket.end(errorAnswer(error, { status, reason: STATUS_CODES[status] ?? "" }));
}

/** The error for a request that asks for a WebSocket without a valid handshake (RFC 6455, section 4.2). */
function badHandshake(error: Error, { method }: IncomingMessage): RelayError {
  if (method !== "GET") {
    return new RelayError("METHOD_NOT_ALLOWED", "a stream is opened by GET", { headers: { Allow: "GET" } });
  }
  const headers = { "Sec-WebSocket-Version": "13" };
  return new RelayError("INVALID_REQUEST", `the WebSocket handshake is malformed: ${error.message}`, { headers });
}
