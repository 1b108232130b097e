import { Agent, type RequestOptions } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";
import { readCertificate } from "../../certificates/certificate.js";
import { problemOfChain } from "../../certificates/certificate-checks.js";
import type { Trust } from "../../certificates/trust-store.js";
import type { Clock } from "../../node/clock.js";
import { AddressRefused, allowedAddresses, pinnedLookup } from "../../node/host-lookup.js";
import type { HostAddress, Resolve } from "../../node/resolver.js";
import { withinTime } from "../../platform/concurrency/within-time.js";
import type { Domain } from "../../protocol/address.js";
import type { FederationSettings } from "../model/config.js";
import { PeerError } from "./types.js";

interface ConnectionDeps {
  clock: Clock;
  trust: () => Trust;
  /** Whether certificates must be issued by trusted authorities. */
  validates: () => boolean;
  resolve: Resolve;
  config: FederationSettings;
}

/**
 * Opens a connection to a peer with TLS 1.3 or later. The name is resolved once, every address must be allowed for
 * peers, and the connection goes to one of these addresses, so a later change of the name has no effect. The
 * certificate is checked by the same rules as for a peer that authenticates. Throws PeerError. A socket that was
 * already opened is closed, and none is opened afterwards.
 */
async function connectToPeer(deps: ConnectionDeps, to: { host: string; port: number }): Promise<TLSSocket> {
  const millis = deps.config.federationConnectTimeoutSeconds * 1000;
  const tooLate = new PeerError("timeout", `no connection to ${to.host} in time`);
  let isLate = false;
  let socket: TLSSocket | undefined;
  const connecting = async (): Promise<TLSSocket> => {
    const addresses = await addressesOf(deps, to.host);
    // The caller is no longer waiting, so nobody would close a socket opened now.
    if (isLate) throw tooLate;
    socket = openSocket(deps, to, addresses);
    await secured(socket, to.host);
    checkCertificate(deps, socket, to.host);
    return socket;
  };
  try {
    return await withinTime(connecting(), millis, () => {
      isLate = true;
      throw tooLate;
    });
  } catch (error) {
    socket?.destroy();
    throw error;
  }
}

async function addressesOf({ resolve, config }: ConnectionDeps, host: string): Promise<readonly HostAddress[]> {
  if (isIP(host) !== 0) throw new PeerError("address", "peers are called by name, not by address");
  try {
    return await allowedAddresses(host, { resolve, allowPrivate: config.federationAllowPrivate });
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    throw new PeerError("address", error.message, { cause: error });
  }
}

function openSocket(
  { trust, validates }: ConnectionDeps,
  { host, port }: { host: string; port: number },
  addresses: readonly HostAddress[],
): TLSSocket {
  const socket = connect({
    host,
    port,
    servername: host,
    lookup: pinnedLookup(addresses),
    secureContext: trust().secureContext(),
    rejectUnauthorized: validates(),
    ALPNProtocols: ["http/1.1"],
    // The name is checked in `checkCertificate`, by the same rules as for callers.
    checkServerIdentity: () => undefined,
  });
  // An error without a listener would end the process. Users of the socket listen for its "close" event.
  socket.on("error", () => undefined);
  // With Nagle's algorithm, the end of a request could wait for a delayed acknowledgement of its beginning.
  return socket.setNoDelay(true);
}

function secured(socket: TLSSocket, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) => reject(failureOf(host, cause));
    socket.once("secureConnect", () => {
      socket.off("error", fail).off("close", fail);
      resolve();
    });
    socket.once("error", fail).once("close", fail);
  });
}

// The TLS library's error codes for certificates: CERT_HAS_EXPIRED, SELF_SIGNED_CERT_IN_CHAIN, INVALID_CA, …
const certificateFault = /CERT|ISSUER|CHAIN|CRL|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|VERIFY/;

function failureOf(host: string, cause: unknown): PeerError {
  const code = String((cause as { code?: unknown } | undefined)?.code ?? "");
  const isCertificate = certificateFault.test(code);
  const problem = isCertificate ? "the certificate is not accepted" : "no secure connection";
  return new PeerError(isCertificate ? "certificate" : "connection", `${host}: ${problem}`, { cause });
}

function checkCertificate(deps: ConnectionDeps, socket: TLSSocket, host: string): void {
  const problem = problemOfPeer(deps, socket, host);
  if (problem !== undefined) throw new PeerError("certificate", `${host}: ${problem}`);
}

/** Why the server at the other end is not accepted as `host` by the current rules. Undefined if it is. */
function problemOfPeer(
  { clock, trust, validates }: Pick<ConnectionDeps, "clock" | "trust" | "validates">,
  socket: TLSSocket,
  host: string,
): string | undefined {
  const [leaf, ...intermediates] = shownCertificates(socket).map(readCertificate);
  if (leaf === undefined) return "the server sent no certificate";
  return problemOfChain({ leaf, intermediates: intermediates.filter((one) => one !== undefined) }, host, {
    trust: validates() ? trust() : null,
    nowMillis: clock.nowMillis(),
  });
}

const maxShown = 10;

/** The certificates of the server at the other end in DER, its own first. */
export function shownCertificates(socket: TLSSocket): Buffer[] {
  const shown: Buffer[] = [];
  let next = socket.getPeerCertificate(true);
  while (next?.raw !== undefined && shown.length < maxShown) {
    if (shown.some((raw) => raw.equals(next.raw))) break;
    shown.push(next.raw);
    next = next.issuerCertificate;
  }
  return shown;
}

export interface PeerAgentDeps extends ConnectionDeps {
  /** Whether messages are exchanged with a peer. */
  admits(peer: Domain): boolean;
}

/** An open connection, with the rules its certificate was last checked by. */
interface OpenConnection {
  socket: TLSSocket;
  host: string;
  openedAtMillis: number;
  /** The peer that it was last used for; several domains may share one host. Null if it was never used. */
  peer: Domain | null;
  trust: Trust;
  validates: boolean;
}

const httpsPort = 443;
/** More than transactions may be in flight, so that questions do not wait for large deliveries over a slow link. */
const connectionsPerPeer = 6;
/** As many as transactions may be in flight. Connections that are needed less often reach their idle timeout. */
const idlePerPeer = 4;
const idleMillis = 50_000;
const reviewEveryMillis = 1_000;

/**
 * Owns every connection to a peer from its opening to its end. Connections are kept between requests, for less than the
 * idle timeout of a relay and no longer than the maximum age. Once a second, and before each use, open connections are
 * checked by the rules for new ones. If the peer of the current or last request is no longer admitted, or the certificate is
 * no longer accepted, the connection is cut together with its request.
 */
export class PeerAgent extends Agent {
  readonly #deps: PeerAgentDeps;
  readonly #open = new Map<Duplex, OpenConnection>();
  readonly #review: NodeJS.Timeout;
  #closed = false;

  constructor(deps: PeerAgentDeps) {
    super({
      keepAlive: true,
      maxSockets: connectionsPerPeer,
      maxFreeSockets: idlePerPeer,
      timeout: idleMillis,
      maxCachedSessions: 0,
    });
    this.#deps = deps;
    this.#review = setInterval(() => this.review(), reviewEveryMillis).unref();
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const to = { host: unbracketed(options.host ?? ""), port: Number(options.port ?? httpsPort) };
    // The rules are recorded before the check, so the next review notices a change in between.
    const checkedBy = { trust: this.#deps.trust(), validates: this.#deps.validates() };
    connectToPeer(this.#deps, to).then(
      (socket) => {
        if (!this.#closed) return callback?.(null, this.#own({ ...checkedBy, socket, host: to.host }));
        socket.destroy();
        return callback?.(new PeerError("connection", "this server is stopping"), undefined as unknown as Duplex);
      },
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
  }

  /** Called by Node.js when a request has ended. Node.js uses the result, although the types declare none. */
  override keepSocketAlive(socket: Duplex): boolean {
    const kept = super.keepSocketAlive(socket) as unknown;
    const open = this.#open.get(socket);
    return kept !== false && open !== undefined && !this.#isTooOld(open);
  }

  /** Records the peer that a connection is used for. */
  usedFor(socket: Duplex, peer: Domain): void {
    const open = this.#open.get(socket);
    if (open !== undefined) open.peer = peer;
  }

  /** Cuts connections that would not be opened now, and idle connections that are too old: of one host, or of all. */
  review(host?: string): void {
    for (const open of this.#open.values()) {
      if (host !== undefined && open.host !== host) continue;
      const problem = this.#problemOf(open);
      if (problem !== undefined) open.socket.destroy(problem);
      else if (this.#isTooOld(open) && this.#isIdle(open)) open.socket.destroy();
    }
  }

  override destroy(): void {
    this.#closed = true;
    clearInterval(this.#review);
    super.destroy();
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #own(about: Pick<OpenConnection, "socket" | "host" | "trust" | "validates">): TLSSocket {
    const open = { ...about, openedAtMillis: this.#deps.clock.nowMillis(), peer: null };
    this.#open.set(about.socket, open);
    about.socket.once("close", () => this.#open.delete(about.socket));
    return about.socket;
  }

  #isTooOld({ openedAtMillis }: OpenConnection): boolean {
    const age = this.#deps.clock.nowMillis() - openedAtMillis;
    return age >= this.#deps.config.federationConnectionMaxAgeSeconds * 1000;
  }

  #isIdle({ socket }: OpenConnection): boolean {
    return Object.values(this.freeSockets).some((sockets) => sockets?.includes(socket));
  }

  /** The reason to cut a connection. Requests fail with it, so they are not retried as after a close by the peer. */
  #problemOf(open: OpenConnection): PeerError | undefined {
    const { host, peer, socket } = open;
    if (peer !== null && !this.#deps.admits(peer))
      return new PeerError("connection", `messages are no longer exchanged with ${host}`);
    const [trust, validates] = [this.#deps.trust(), this.#deps.validates()];
    if (open.trust === trust && open.validates === validates) return undefined;
    Object.assign(open, { trust, validates });
    try {
      const problem = problemOfPeer(this.#deps, socket, host);
      return problem === undefined ? undefined : new PeerError("certificate", `${host}: ${problem}`);
    } catch (cause) {
      return new PeerError("certificate", `${host}: the certificate cannot be checked`, { cause });
    }
  }
}

export function unbracketed(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}
