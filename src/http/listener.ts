import { createServer, IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { boundHandshakes } from "./tls-handshakes.js";
import { refuseTunnel, refuseUnreadable } from "./unreadable.js";

export interface ListenerSettings {
  /** A request's headers have this long to arrive. */
  headersTimeoutSeconds: number;
  /** The body has this long after them. */
  bodyTimeoutSeconds: number;
  /** A connection without a request is closed after this long. */
  idleConnectionSeconds: number;
  connectionsPerNode: number;
  /** A TLS handshake has this long. */
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

/**
 * The socket side of the front door. Node ends requests that take too long: this bounds, besides a slow sender's
 * headers, what is still being thrown away after a request was refused before its end.
 */
export function createListener(
  app: RequestListener,
  settings: ListenerSettings & { failed(error: Error): void },
  tls: TlsIdentity | null,
): Server {
  const options = {
    IncomingMessage: PerhapsStream,
    headersTimeout: settings.headersTimeoutSeconds * 1000,
    requestTimeout: (settings.headersTimeoutSeconds + settings.bodyTimeoutSeconds) * 1000,
    keepAliveTimeout: settings.idleConnectionSeconds * 1000,
    connectionsCheckingInterval: checkEveryMillis,
    // Node's own answer to a request without it has no body; see the first step in server.ts.
    requireHostHeader: false,
  };
  const handshakeTimeout = settings.tlsHandshakeSeconds * 1000;
  const server =
    tls === null
      ? createServer(options, app)
      : createTlsServer({ ...options, handshakeTimeout, cert: tls.cert, key: tls.key, minVersion: lowestTls }, app);
  if (server instanceof TlsServer) boundHandshakes(server, settings.tlsHandshakesAtOnce);
  server.maxConnections = settings.connectionsPerNode;
  // With this listener the body's sender waits for a "100 Continue" until the body is wanted.
  server.on("checkContinue", app);
  // Any other expectation is ignored (RFC 9110, section 10.1.1); Node would answer 417 without a body.
  server.on("checkExpectation", app);
  server.on("clientError", refuseUnreadable);
  server.on("connect", refuseTunnel);
  // Also while it listens: a connection that cannot be taken up, for want of files, is an error of the server.
  server.on("error", (error) => {
    if (server.listening) settings.failed(error);
  });
  return server;
}

/**
 * Node hands every request that offers another protocol over as an upgrade, body unread. Only WebSocket is spoken here;
 * any other offer (`h2c`, by many HTTP clients with their first request) is to be ignored (RFC 9110, section 7.8).
 */
class PerhapsStream extends IncomingMessage {
  private declare offered: boolean | null;

  get upgrade(): boolean {
    return this.offered === true && (this.method === "CONNECT" || /\bwebsocket\b/i.test(this.headers.upgrade ?? ""));
  }

  set upgrade(offered: boolean | null) {
    this.offered = offered;
  }
}

/**
 * Begins to listen and gives the port. Where more connections come than the system lets wait to be taken up, it forgets
 * some after their clients were told that they are open, and resets those when they send their first request.
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

/** Has new connections see another certificate; those that are open go on. */
export function renewTls(server: Server, { cert, key }: TlsIdentity): void {
  if (server instanceof TlsServer) server.setSecureContext({ cert, key, minVersion: lowestTls });
}

/** Stops listening, lets open requests finish for `graceSeconds`, then cuts what is left. */
export async function closeListener(server: Server, graceSeconds: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A connection that has just had its answer is kept for the client's next request, which we do not wait for.
  const idle = setInterval(() => server.closeIdleConnections(), closeIdleEveryMillis);
  const deadline = setTimeout(() => server.closeAllConnections(), graceSeconds * 1000);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}
