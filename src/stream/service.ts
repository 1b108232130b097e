import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { streamPath } from "../../generated/frames.js";
import { RelayError } from "../protocol/errors.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { Admission } from "./access-control.js";
import type { HoldBudget } from "./backlog.js";
import type { StreamDeps } from "./options.js";
import { ReadSlots } from "./read-slots.js";
import { Session, type SessionHost } from "./session.js";
import { badHandshake, refuseUpgrade } from "./upgrade.js";

export type { StreamConfig, StreamDeps, StreamPrincipal } from "./options.js";

/** The streams of this node. */
export interface StreamServer {
  /** Takes over the upgrade of an HTTP request; refuses every path but the stream's. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Tells a device's stream on this node, if there is one, that its key packages have changed. */
  keyPackagesChanged(deviceId: string): Promise<void>;
  /** Streams that have authenticated. */
  connectionCount(): number;
  /** Takes no new streams and sends the open ones away, a part at a time; done when all are closed. */
  drain(): Promise<void>;
  /** Ends everything at once. */
  stop(): Promise<void>;
}

const tickMillis = 250;
const drainBatch = 200;
const drainPauseMillis = 50;
/** How long a draining server waits for the clients' side of the closing handshake. */
const farewellMillis = 5_000;
const drainRetrySeconds = 5;

/** Starts the server of the streams (specification, "Events"; spec/asyncapi.yaml). It begins to tick at once. */
export function createStreamServer(deps: StreamDeps): StreamServer {
  return new Streams(deps);
}

class Streams implements StreamServer, SessionHost {
  readonly deps: StreamDeps;
  readonly budget: HoldBudget;
  readonly reads: ReadSlots;
  private readonly admission: Admission;
  private readonly sockets: WebSocketServer;
  private readonly sessions = new Map<WebSocket, Session>();
  private readonly open = new Map<string, Session>();
  private readonly attached = new Set<Session>();
  private readonly unauthenticated = new Set<Session>();
  private readonly farewells = new Set<Promise<void>>();
  private readonly ticker: NodeJS.Timeout;
  private draining = false;

  constructor(deps: StreamDeps) {
    const { config } = deps;
    this.deps = deps;
    this.budget = { limitBytes: config.streamHeldBytes, usedBytes: 0 };
    this.reads = new ReadSlots(config.streamConcurrentReads);
    this.admission = new Admission(config);
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

  connectionCount(): number {
    return this.open.size;
  }

  async drain(): Promise<void> {
    this.draining = true;
    const sessions = [...this.sessions.values()];
    for (let from = 0; from < sessions.length; from += drainBatch) {
      if (from > 0) await wait(drainPauseMillis);
      for (const session of sessions.slice(from, from + drainBatch)) session.leave();
    }
    for (let waited = 0; this.sessions.size > 0 && waited < farewellMillis; waited += drainPauseMillis) {
      await wait(drainPauseMillis);
    }
    await this.stop();
  }

  async stop(): Promise<void> {
    this.draining = true;
    clearInterval(this.ticker);
    for (const session of this.sessions.values()) session.terminate();
    await Promise.all(this.farewells);
  }

  async attach(session: Session): Promise<void> {
    const deviceId = session.deviceId as string;
    await this.deps.messages.attach(deviceId, session.streamId, session);
    if (session.hasEnded) this.detach(session);
    else this.attached.add(session);
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

  /** Why the upgrade is not taken; counts it if it is. */
  private refusal(request: IncomingMessage, network: string): RelayError | undefined {
    const path = request.url?.split("?", 1)[0];
    if (path !== streamPath) return new RelayError("NOT_FOUND", "There is no stream at this path.");
    if (request.headers.host === undefined) return new RelayError("INVALID_REQUEST", "The header Host is missing.");
    const headers = { "Retry-After": String(drainRetrySeconds) };
    if (this.draining) return new RelayError("OVERLOADED", "The server is shutting down.", { headers });
    const full = this.admission.enter(network);
    if (full === undefined) return undefined;
    const { limit, message } = full;
    return limit === null ? new RelayError("OVERLOADED", message, { headers }) : this.tooMany(message, limit);
  }

  /** The places are free again, at the latest, when those that hold them have not authenticated in time. */
  private tooMany(message: string, limit: number): RelayError {
    const { clock, config } = this.deps;
    const now = clock.nowSeconds();
    return rateLimitExceeded(message, { limit, resetAt: now + config.authFrameTimeoutSeconds, now });
  }

  private shakeHands(upgrade: { request: IncomingMessage; socket: Duplex; head: Buffer }, network: string): void {
    const { request, socket, head } = upgrade;
    const forget = () => this.forget(network);
    // Where the handshake fails, the socket ends without ever having become a stream.
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
    // The reason of an error is in the close code that follows it.
    webSocket.on("error", () => session.closed());
    webSocket.on("close", () => {
      session.closed();
      this.sessions.delete(webSocket);
      // One that was refused counts for its address for as long as it takes up a place.
      this.authenticated(session);
      this.admission.leave();
    });
  }

  private authenticated(session: Session): void {
    if (this.unauthenticated.delete(session)) this.admission.authenticated(session.network);
  }

  private forget(network: string): void {
    this.admission.authenticated(network);
    this.admission.leave();
  }

  private detach(session: Session): void {
    const farewell = this.deps.messages
      .detach(session.deviceId as string, session.streamId)
      .catch((error: unknown) => this.deps.logger.warn({ err: error }, "a stream could not be detached"))
      .finally(() => this.farewells.delete(farewell));
    this.farewells.add(farewell);
  }

  private tick(): void {
    const now = this.deps.clock.nowMillis();
    for (const session of this.sessions.values()) session.tick(now);
  }
}
