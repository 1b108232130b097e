import { createServer, IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { watchPace } from "../../platform/net/pace.js";
import { boundPipelining, type PipeliningSettings, pipeliningOptions } from "../../platform/net/pipelining.js";
import { boundHandshakes } from "./tls-handshakes.js";
import { refuseTunnel, refuseUnreadable } from "./unreadable.js";

export interface ListenerSettings extends PipeliningSettings {
  /** Time for a request's headers to arrive. */
  headersTimeoutSeconds: number;
  /** The rest of a refused body is read until it stops for this long, or moves more slowly than the least rate. */
  bodyStallSeconds: number;
  slowestBytesPerSecond: number;
  /** A connection without a request is closed after this time. */
  idleConnectionSeconds: number;
  connectionsPerNode: number;
  /** Time for a TLS handshake. */
  tlsHandshakeSeconds: number;
  tlsHandshakesAtOnce: number;
}

/** Certificate chain and private key, both PEM. */
export interface TlsIdentity {
  cert: string | Buffer;
  key: string | Buffer;
}

const checkEveryMillis = 1_000;
const lowestTls = "TLSv1.3";
const closeIdleEveryMillis = 100;

/** Creates the server that listens. Node ends requests whose headers take too long to arrive. */
export function createListener(
  answer: RequestListener,
  settings: ListenerSettings & { failed(error: Error): void },
  tls: TlsIdentity | null,
): Server {
  const listener = watchingRests(answer, settings);
  const options = {
    ...pipeliningOptions,
    IncomingMessage: PossibleUpgrade,
    headersTimeout: settings.headersTimeoutSeconds * 1000,
    // Node's deadline for a whole request would cut large bodies over slow links.
    requestTimeout: 0,
    keepAliveTimeout: settings.idleConnectionSeconds * 1000,
    connectionsCheckingInterval: checkEveryMillis,
    // Node's own answer to a request without a Host has no body; server.ts refuses it.
    requireHostHeader: false,
  };
  const handshakeTimeout = settings.tlsHandshakeSeconds * 1000;
  const server =
    tls === null
      ? createServer(options, listener)
      : createTlsServer(
          { ...options, handshakeTimeout, cert: tls.cert, key: tls.key, minVersion: lowestTls },
          listener,
        );
  if (server instanceof TlsServer) boundHandshakes(server, settings.tlsHandshakesAtOnce);
  server.maxConnections = settings.connectionsPerNode;
  boundPipelining(server, settings);
  // With this listener, a sender that expects "100 Continue" waits until the server reads the body.
  server.on("checkContinue", listener);
  // Any other expectation is ignored (RFC 9110, section 10.1.1); Node would answer 417 without a body.
  server.on("checkExpectation", listener);
  server.on("clientError", refuseUnreadable);
  server.on("connect", refuseTunnel);
  // The server can also emit errors while it listens, for instance if no file descriptor is left for a new connection.
  server.on("error", (error) => {
    if (server.listening) settings.failed(error);
  });
  return server;
}

/** Bounds the pace of the rest of a body that is discarded because its request was refused early. */
function watchingRests(answer: RequestListener, settings: ListenerSettings): RequestListener {
  const rules = { silenceSeconds: settings.bodyStallSeconds, leastBytesPerSecond: settings.slowestBytesPerSecond };
  function watchRest(this: ServerResponse): void {
    const { req } = this;
    const { socket } = req;
    if (req.complete || socket.destroyed) return;
    const stopWatching = watchPace(
      rules,
      () => socket.bytesRead,
      () => socket.destroy(),
    );
    const stop = (): void => {
      stopWatching();
      socket.off("close", stop);
    };
    req.once("end", stop);
    socket.once("close", stop);
  }
  return (req, res) => {
    const { headers } = req;
    if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) {
      res.once("close", watchRest);
    }
    answer(req, res);
  };
}

/**
 * Node hands every request that offers another protocol over as an upgrade, body unread. This server supports only
 * WebSocket; any other offer (many HTTP clients offer `h2c` with their first request) must be ignored (RFC 9110,
 * section 7.8).
 */
class PossibleUpgrade extends IncomingMessage {
  private declare offered: boolean | null;

  get upgrade(): boolean {
    return this.offered === true && (this.method === "CONNECT" || /\bwebsocket\b/i.test(this.headers.upgrade ?? ""));
  }

  set upgrade(offered: boolean | null) {
    this.offered = offered;
  }
}

/**
 * Begins to listen and returns the port. If more connections arrive than the backlog holds, the system drops some that
 * their clients consider open, and resets them when they send their first request.
 */
export function listen(server: Server, at: { host: string; port: number; listenBacklog: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: at.host, port: at.port, backlog: at.listenBacklog }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Serves another certificate to new connections; open ones continue. */
export function renewTls(server: Server, { cert, key }: TlsIdentity): void {
  if (server instanceof TlsServer) server.setSecureContext({ cert, key, minVersion: lowestTls });
}

/** Stops listening, lets open requests finish for `graceSeconds`, then cuts the remaining connections. */
export async function closeListener(server: Server, graceSeconds: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A connection whose answer has just been sent stays open for the client's next request, which we do not wait for.
  const idle = setInterval(() => server.closeIdleConnections(), closeIdleEveryMillis);
  const deadline = setTimeout(() => server.closeAllConnections(), graceSeconds * 1000);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}
